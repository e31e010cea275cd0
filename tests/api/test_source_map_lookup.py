"""Which of the uploads a frame is read through, and what hostile ones stop."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from errata.warehouse.queries.issue.events import event_by_id
from tests.processes import WarehouseProcess
from tests.source_map_files import POSITION, SOURCE, a_build, a_map, an_archive, an_error
from tests.uploading import Uploading, uploading

URL = "https://shop.example/app.js"
PLACE = ("src/checkout.js", 2, "checkout")


@pytest.fixture
def api(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Uploading]:
    with uploading(warehouse, tmp_path) as made:
        yield made


def upload(api: Uploading, content: bytes, release: str = "shop@1", **more: str) -> None:
    answer = api.client.post(
        f"{api.path}/sourcemaps",
        params={"release": release, "prefix": "~/", **more},
        content=content,
        headers=api.headers,
    )
    assert answer.status_code == 201, answer.text


def places(api: Uploading, event: dict[str, Any]) -> list[tuple[str, int, str]]:
    api.deliver([{**event, "timestamp": time.time()}])
    read = event_by_id(api.context.read, [api.project.id], UUID(event["event_id"]))
    assert read is not None
    return [
        (frame["filename"], frame["lineno"], frame["function"])
        for value in read.payload["exception"]["values"]
        for frame in value["stacktrace"]["frames"]
    ]


def reasons(api: Uploading, event: dict[str, Any]) -> list[str]:
    api.deliver([{**event, "timestamp": time.time()}])
    told = api.get(f"{api.path}/events/{event['event_id']}/sourcemaps")
    return [frame["reason"] for frame in told["unmapped"]]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        pytest.param(f"{URL}?v=3#top", "app.js", id="query-and-fragment"),
        pytest.param("app:///index.android.bundle", "index.android.bundle", id="hermes"),
        pytest.param("https://a.example/blog/%5Bslug%5D/page.js", "blog/[slug]/page.js", id="brackets"),
        pytest.param("https://a.example/my%20shop/caf%C3%A9.js", "my shop/café.js", id="space-and-accent"),
        pytest.param("/srv/app/dist/server.js", "srv/app/dist/server.js", id="node"),
    ],
)
def test_an_address_is_found_by_what_its_file_is_called(api: Uploading, url: str, name: str) -> None:
    upload(api, a_build(name))
    assert places(api, an_error(url)) == [PLACE]


@pytest.mark.parametrize(
    ("source_map", "place"),
    [
        pytest.param(a_map(sourceRoot="/shop/"), ("/shop/src/checkout.js", 2, "checkout"), id="source-root"),
        pytest.param(a_map(sourcesContent=None), ("src/checkout.js", 2, "a"), id="without-sources"),
        pytest.param(a_map(names=None), PLACE, id="without-names"),
        pytest.param(a_map(sourcesContent=[SOURCE.replace("\n", "\r\n")]), PLACE, id="crlf"),
        pytest.param(b"\xef\xbb\xbf" + a_map(), PLACE, id="byte-order-mark"),
        pytest.param(b")]}'\n" + a_map(), PLACE, id="guard"),
        pytest.param(
            b'{"version": 3, "sections": [{"offset": {"line": 0, "column": 0}, "map": ' + a_map() + b"}]}",
            PLACE,
            id="sections",
        ),
    ],
)
def test_maps_of_every_kind_are_read(api: Uploading, source_map: bytes, place: tuple[str, int, str]) -> None:
    upload(api, a_build(source_map=source_map))
    assert places(api, an_error(URL)) == [place]


def test_columns_are_of_utf_16(api: Uploading) -> None:
    script = "x='😀😀';throw new Error(x)\n"
    mappings = "AAAA,SACE"
    upload(api, an_archive({"app.js": script, "app.js.map": a_map(mappings=mappings)}))
    event = an_error(URL, URL)
    frames = event["exception"]["values"][0]["stacktrace"]["frames"]
    frames[0]["colno"], frames[1]["colno"] = 9, 10
    assert [line for _, line, _ in places(api, event)] == [1, 2]


def test_the_latest_upload_of_an_address_is_used(api: Uploading) -> None:
    for number in range(3):
        upload(api, a_build(source_map=a_map(f"src/{number}.js")))
    assert places(api, an_error(URL)) == [("src/2.js", 2, "checkout")]
    # Uploaded again, the first is not a newer one: it is there already.
    upload(api, a_build(source_map=a_map("src/0.js")))
    assert places(api, an_error(URL)) == [("src/2.js", 2, "checkout")]


def test_a_dist_is_part_of_the_release(api: Uploading) -> None:
    upload(api, a_build(source_map=a_map("src/ios.js")), dist="ios")
    assert reasons(api, an_error(URL)) == ["other_dist"]
    assert reasons(api, an_error(URL, dist="web")) == ["other_dist"]
    assert places(api, an_error(URL, dist="ios")) == [("src/ios.js", 2, "checkout")]
    upload(api, a_build())
    assert places(api, an_error(URL)) == [PLACE]


def images(debug_id: str) -> dict[str, Any]:
    return {"debug_meta": {"images": [{"type": "sourcemap", "code_file": URL, "debug_id": debug_id}]}}


def test_a_debug_id_is_found_however_it_is_spelled(api: Uploading) -> None:
    upload(api, a_build("other.js", debug_id=str(UUID(int=0xABCDEF))))
    for spelled in (str(UUID(int=0xABCDEF)).upper(), UUID(int=0xABCDEF).hex):
        assert places(api, an_error(URL, release=None, **images(spelled))) == [PLACE]


def test_the_same_address_of_another_build_is_never_used(api: Uploading) -> None:
    upload(api, a_build(debug_id=str(UUID(int=1))))
    assert reasons(api, an_error(URL, **images(str(UUID(int=2))))) == ["other_build"]
    # An upload without debug ids may be of the same build.
    upload(api, a_build())
    assert places(api, an_error(URL, **images(str(UUID(int=2))))) == [PLACE]


def test_a_script_in_a_thousand_uploads_hides_no_other(api: Uploading) -> None:
    upload(api, a_build("rare.js"))
    common, nil = str(UUID(int=5)), str(UUID(int=0))
    rows = [
        {"project_id": api.project.id, "bundle_id": str(UUID(int=1000 + number)), "release": f"shop@{number}"}
        for number in range(1_200)
    ]
    maps = [
        {
            "project_id": row["project_id"],
            "bundle_id": row["bundle_id"],
            "name": "~/app.js",
            "debug_id": common,
            "script_id": nil,
            "map_id": str(UUID(int=9)),
        }
        for row in rows
    ]
    for table, inserted in (("source_maps", maps), ("source_bundles", rows)):
        api.context.warehouse.insert_json_lines(f"errata_raw.{table}", as_lines(inserted), token=table)
    event = an_error(URL, "https://shop.example/rare.js", **images(common))
    assert places(api, event)[1] == PLACE


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def test_every_exception_of_a_chain_is_read_and_a_deep_stack_whole(api: Uploading) -> None:
    upload(api, a_build())
    event = an_error(*[URL] * 250)
    event["exception"]["values"] *= 3
    assert places(api, event) == [PLACE] * 750


@pytest.mark.slow
def test_a_hostile_script_stops_no_other(api: Uploading) -> None:
    upload(api, an_archive({"bad.js": "(" * 50_000, "bad.js.map": a_map()}))
    bad, good = an_error("https://shop.example/bad.js"), an_error(URL)
    api.deliver([{**bad, "timestamp": time.time()}, {**good, "timestamp": time.time()}])
    assert api.map_variants() == 2
    upload(api, a_build())
    # Both are of the release; one is not tried again.
    assert api.map_variants() == 2
    assert places(api, good) == [PLACE]
    assert reasons(api, bad) == ["unreadable"]


def test_what_a_map_names_is_cut(api: Uploading) -> None:
    upload(api, a_build(source_map=a_map("src/" + "x" * 100_000)))
    ((source, _, _),) = places(api, an_error(URL))
    assert len(source) <= 1_000


def test_a_position_that_no_line_has_is_none(api: Uploading) -> None:
    upload(api, a_build())
    event = an_error(URL, URL, URL)
    frames = event["exception"]["values"][0]["stacktrace"]["frames"]
    frames[0]["colno"], frames[1]["lineno"] = 0, 0
    frames[2]["lineno"] = POSITION["lineno"] + 100
    assert reasons(api, event) == ["no_position", "no_position", "not_covered"]
