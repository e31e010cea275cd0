"""Captured errors of minified bundles, read through the maps of their builds."""

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from api import variant_mapping
from api.jobs import source_maps
from api.jobs.alert_evaluation import evaluate
from api.jobs.fair_schedule import FairSchedule
from errata.grouping import variant_of
from errata.state.alerts.rules import NewRule
from errata.warehouse.queries.changes import Changes
from tests.api.jobs.conftest import EndlessRun
from tests.browser_builds import browser_errors, extract_builds
from tests.builders import a_variant, insert
from tests.captures import DATA
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.source_map_files import an_error
from tests.uploading import Uploading, uploading

BUGS = 14


@pytest.fixture
def api(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Uploading]:
    with uploading(warehouse, tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return extract_builds(tmp_path_factory.mktemp("builds"))


def issues(api: Uploading) -> dict[str, tuple[str, int, str]]:
    """By issue id: title, number of events and culprit."""
    return {
        one["id"]: (one["title"], one["event_count"], one["culprit"])
        for one in api.get(f"{api.path}/issues", limit=100)["issues"]
    }


def upload_all(api: Uploading, builds: Path) -> None:
    for release in ("1.0.0", "1.1.0"):
        api.upload(builds / release / "assets", f"shop-web@{release}", f"~/assets/{release}")


def test_errors_before_their_maps_become_readable_and_stay_counted(api: Uploading, builds: Path) -> None:
    events = browser_errors()
    api.deliver(events)
    assert api.map_variants() > 10
    before = issues(api)
    assert len(before) == BUGS
    upload_all(api, builds)
    assert api.map_variants() > 10
    after = issues(api)
    assert {id_: count for id_, (_, count, _) in after.items()} == {
        id_: count for id_, (_, count, _) in before.items()
    }
    assert {title for title, _, _ in after.values()} == {title for title, _, _ in before.values()}
    places = {culprit for _, _, culprit in after.values()}
    assert {"src/lib/ui.js in formatPrice", "src/pages/home.js in nextSlide"} <= places
    # Of the monitoring script itself no map was uploaded.
    assert {place for place in places if place.startswith("assets/")} == {"assets/monitor-10.js in ?"}
    assert api.map_variants() == 0


@pytest.mark.slow
def test_a_release_that_was_uploaded_in_part_splits_no_issue(api: Uploading, builds: Path) -> None:
    """Of 1.2.0 only the scripts that are those of 1.1.0, which debug ids tell."""
    events = browser_errors(["1.0.0", "1.1.0", "1.2.0"])
    api.deliver(events)
    api.map_variants()
    before = {id_: count for id_, (_, count, _) in issues(api).items()}
    assert len(before) == BUGS
    upload_all(api, builds)
    api.map_variants()
    assert {id_: count for id_, (_, count, _) in issues(api).items()} == before


@pytest.mark.slow
def test_a_build_with_other_names_makes_no_new_issue(api: Uploading, builds: Path, tmp_path: Path) -> None:
    """The same code under other files and functions: what a bundler makes of it after any change."""
    upload_all(api, builds)
    events = browser_errors()
    api.deliver(events)
    api.map_variants()
    before = issues(api)
    assert len(before) == BUGS
    api.upload(renamed_build(builds, tmp_path), "shop-web@9.0.0", "~/assets/9.0.0")
    again = [under_other_names(event) for event in browser_errors(["1.0.0"])]
    api.deliver(again)
    # Until they are read through their maps they look like new errors.
    assert len(issues(api)) > BUGS
    api.map_variants()
    after = issues(api)
    assert {id_: count for id_, (_, count, _) in after.items() if id_ not in before} == {}
    assert sum(count for _, count, _ in after.values()) == len(events) + len(again)
    of_bug = {id_: count - before[id_][1] for id_, (_, count, _) in after.items()}
    assert sum(of_bug.values()) == len(again)


def renamed_build(builds: Path, directory: Path) -> Path:
    build = directory / "renamed"
    build.mkdir()
    for path in (builds / "1.0.0" / "assets").iterdir():
        content = path.read_bytes().replace(path.name.encode(), renamed(path.name).encode())
        (build / renamed(path.name)).write_bytes(content)
    return build


def renamed(file_name: str) -> str:
    if file_name.startswith(("monitor-", "vendor-")):
        return file_name
    stem, dot, rest = file_name.partition(".")
    return f"q{stem[::-1].lower()}{dot}{rest}"


def under_other_names(event: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps({**event, "release": "shop-web@9.0.0", "event_id": uuid4().hex})
    text = re.sub(r"/assets/1\.0\.0/([\w-]+\.js)", lambda found: f"/assets/9.0.0/{renamed(found[1])}", text)
    changed: dict[str, Any] = json.loads(text)
    for value in changed["exception"]["values"]:
        for frame in value.get("stacktrace", {}).get("frames", ()):
            if re.fullmatch(r"(?:async )?\w", frame.get("function", "")):
                frame["function"] = f"{frame['function']}Q"
    return changed


@pytest.mark.slow
def test_a_variant_is_looked_at_when_its_event_is_stored(api: Uploading, builds: Path) -> None:
    """Its record comes first."""
    upload_all(api, builds)
    (event, *_) = (one for one in browser_errors() if "toFixed" in json.dumps(one["exception"]))
    variant = variant_of(event)
    row = a_variant(project_id=api.project.id, variant_hash=variant.variant_hash, platform="javascript")
    insert(api.context.warehouse, "errata_raw.variants", [{**row, "recorded_at": datetime.now(UTC)}])
    assert api.map_variants() == 0
    api.deliver([event])
    assert api.map_variants() == 1
    assert {culprit for _, _, culprit in issues(api).values()} == {"src/lib/ui.js in formatPrice"}


@pytest.mark.slow
def test_a_person_s_placement_stays(api: Uploading, builds: Path) -> None:
    api.deliver(browser_errors())
    api.map_variants()
    first, second = sorted(issues(api))[:2]
    answer = api.client.post(f"/api/issues/{first}/merge", json={"into": second}, headers=api.headers)
    assert answer.status_code == 200, answer.text
    merged = issues(api)
    upload_all(api, builds)
    api.map_variants()
    assert {id_: count for id_, (_, count, _) in issues(api).items()} == {
        id_: count for id_, (_, count, _) in merged.items()
    }


@pytest.mark.slow
def test_search_and_grouping_see_original_frames(api: Uploading, builds: Path) -> None:
    api.deliver(browser_errors())
    upload_all(api, builds)
    api.map_variants()
    found = api.get(f"{api.path}/issues", query="formatPrice")["issues"]
    assert "src/lib/ui.js in formatPrice" in {one["culprit"] for one in found}
    (issue, *_) = (one["id"] for one in found if one["culprit"] == "src/lib/ui.js in formatPrice")
    event = api.get(f"/api/issues/{issue}/events", limit=1)["events"][0]
    whole = api.get(f"/api/events/{event['event_id']}")
    frames = whole["payload"]["exception"]["values"][-1]["stacktrace"]["frames"]
    top = frames[-1]
    assert (top["filename"], top["function"], top["lineno"]) == ("src/lib/ui.js", "formatPrice", 32)
    assert "item.price.amount.toFixed(2)" in top["context_line"]
    raw = whole["payload"]["exception"]["values"][-1]["raw_stacktrace"]["frames"]
    assert raw[-1]["filename"].endswith(".js") and raw[-1]["function"] == "d"


WHY = {
    "no_upload": ({}, "No source maps have been uploaded for this project"),
    "release_without_upload": ({"release": "another@1"}, "uploaded for release shop-web@1.1.0"),
    "other_release": ({"release": "another@1", "same": "yes"}, "uploaded for another release, another@1"),
    "other_dist": ({"dist": "7", "same": "yes"}, "for dist 7 of this release"),
    "other_name": ({"prefix": "~/static"}, "but as ~/static/"),
}


@pytest.mark.slow
@pytest.mark.parametrize("reason", WHY)
def test_a_frame_says_why_it_stays_minified(
    api: Uploading, builds: Path, tmp_path: Path, reason: str
) -> None:
    more, said = WHY[reason]
    assets = builds / "1.1.0" / "assets"
    if reason == "release_without_upload":
        assets = tmp_path / "other"
        assets.mkdir()
        (assets / "unrelated.js").write_text("f();")
    if more:
        api.upload(
            without_debug_ids(assets, tmp_path / "plain"),
            more.get("release", "shop-web@1.1.0"),
            more.get("prefix", "~/assets/1.1.0"),
            **({"dist": more["dist"]} if "dist" in more else {}),
        )
    event = next(one for one in browser_errors(["1.1.0"]) if "toFixed" in json.dumps(one["exception"]))
    api.deliver([event])
    told = api.get(f"{api.path}/events/{event['event_id']}/sourcemaps")
    shop = [one for one in told["unmapped"] if "/ui-" in one["url"]]
    assert {one["reason"] for one in shop} == {reason}, told
    assert all(said in one["found"] for one in shop), shop
    assert all(one["remedy"] and "shop-web@1.1.0" in one["looked_for"] for one in shop)


def without_debug_ids(source: Path, target: Path) -> Path:
    target.mkdir()
    for path in source.iterdir():
        text = re.sub(r"//# debugId=\S+|,?\s*\"debugId\":\s*\"[^\"]*\"", "", path.read_text())
        (target / path.name).write_text(text)
    return target


def test_a_map_of_another_build_is_not_taken_for_the_right_one(api: Uploading, builds: Path) -> None:
    (event,) = browser_errors(["1.1.0"])[:1]
    script = next(
        frame["filename"]
        for frame in event["exception"]["values"][-1]["stacktrace"]["frames"]
        if "/products-" in frame["filename"]
    )
    event["debug_meta"] = {
        "images": [{"type": "sourcemap", "code_file": script, "debug_id": str(UUID(int=7))}]
    }
    event["release"] = "unknown@1"
    api.deliver([event])
    upload_all(api, builds)
    told = api.get(f"{api.path}/events/{event['event_id']}/sourcemaps")
    (frame,) = (one for one in told["unmapped"] if "/products-" in one["url"])
    assert frame["reason"] == "other_build"
    assert str(UUID(int=7)) in frame["looked_for"]


@pytest.mark.slow
def test_a_debug_id_is_enough(api: Uploading, builds: Path) -> None:
    event = next(one for one in browser_errors(["1.1.0"]) if "toFixed" in json.dumps(one["exception"]))
    frames = event["exception"]["values"][-1]["stacktrace"]["frames"]
    script = next(frame["filename"] for frame in frames if "/ui-" in frame["filename"])
    event["release"] = None
    event["debug_meta"] = {
        "images": [
            {"type": "sourcemap", "code_file": script, "debug_id": "35d220b6-d06d-5eee-8991-f6b16758e83d"}
        ]
    }
    api.deliver([event])
    api.upload(builds / "1.1.0" / "assets", "", "~/anywhere")
    api.map_variants()
    assert "src/lib/ui.js in formatPrice" in {culprit for _, _, culprit in issues(api).values()}


@pytest.mark.slow
def test_a_stack_of_many_long_addresses_stops_no_other(api: Uploading, builds: Path) -> None:
    (event, *_) = (one for one in browser_errors() if "toFixed" in json.dumps(one["exception"]))
    frames = [
        {"abs_path": f"https://{number}.example/{'x' * length}.js", "lineno": 1, "colno": 2, "function": "f"}
        for number in range(250)
        for length in (900, 4_000)
    ]
    hostile = {
        **event,
        "event_id": uuid4().hex,
        "exception": {"values": [{"type": "Error", "stacktrace": {"frames": frames}}]},
    }
    api.deliver([hostile])
    upload_all(api, builds)
    api.deliver([event])
    assert api.map_variants() == 2
    assert "src/lib/ui.js in formatPrice" in {culprit for _, _, culprit in issues(api).values()}
    told = api.get(f"{api.path}/events/{hostile['event_id']}/sourcemaps")
    assert 0 < told["minified_count"] <= 100 and told["mapped_count"] == 0


@pytest.mark.slow
def test_uploads_are_listed_with_their_use_and_what_is_missing(
    api: Uploading, warehouse: WarehouseProcess, builds: Path
) -> None:
    events = browser_errors()
    api.deliver(events)
    api.upload(builds / "1.0.0" / "assets", "shop-web@1.0.0", "~/assets/1.0.0")
    api.map_variants()
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_totals")
    told = api.get(f"{api.path}/sourcemaps")
    (shown,) = told["uploads"]
    assert (shown["script_count"], shown["map_count"], shown["debug_id_count"]) == (6, 6, 0)
    assert shown["variant_count"] > 5
    latest = max(event["timestamp"] for event in events if event["release"] == "shop-web@1.0.0")
    assert datetime.fromisoformat(shown["last_used_at"]).timestamp() == pytest.approx(latest, abs=1)
    missing = {(one["name"].rpartition("/")[2], one["release"]) for one in told["missing"]}
    assert ("ui-Z344SUGJ.js", "shop-web@1.1.0") in missing
    assert ("ui-MGXT2O3Y.js", "shop-web@1.0.0") not in missing
    path = f"{api.path}/sourcemaps/{shown['bundle_id']}"
    assert api.client.delete(path, headers=api.headers).status_code == 204
    assert api.client.delete(path, headers=api.headers).status_code == 404
    assert api.get(f"{api.path}/sourcemaps")["uploads"] == []


@pytest.mark.slow
def test_builds_of_four_bundlers_are_read(api: Uploading, tmp_path: Path) -> None:
    """What plugins for Vite, webpack, esbuild and Rollup made of one program, and its error in Chromium."""
    captured = json.loads((DATA / "browser" / "plugin_builds.json").read_text())
    assert len(captured) == 4
    for name, build in captured.items():
        folder = tmp_path / name
        folder.mkdir()
        for file_name, text in build["files"].items():
            (folder / file_name).write_text(text)
        api.upload(folder, "")
        api.deliver([{**build["event"], "timestamp": datetime.now(UTC).timestamp()}])
    api.map_variants()
    assert {culprit for _, _, culprit in issues(api).values()} == {"src/cart.js in priceOf"}
    for name, build in captured.items():
        whole = api.get(f"/api/events/{build['event']['event_id']}")
        frames = whole["payload"]["exception"]["values"][-1]["stacktrace"]["frames"]
        own = [(frame["function"], frame["lineno"]) for frame in frames if frame["filename"] == "src/cart.js"]
        # An arrow function has no name.
        assert [each for each in own if each[0] != "?"] == [("total", 2), ("priceOf", 5)], name


def test_alerts_of_new_issues_wait_for_source_maps(api: Uploading, builds: Path, tmp_path: Path) -> None:
    upload_all(api, builds)
    api.deliver(browser_errors())
    api.map_variants()
    api.upload(renamed_build(builds, tmp_path), "shop-web@9.0.0", "~/assets/9.0.0")
    rule = api.store.alerts.rules.create(
        api.organization_id, api.project.slug, NewRule("New", "new", cap_minutes=1), actor="owner"
    )
    changes = Changes(api.context.read)
    evaluate(api.context, EndlessRun(), changes, FairSchedule())
    api.deliver([under_other_names(event) for event in browser_errors(["1.0.0"])])
    another = {
        **browser_errors()[0],
        "event_id": uuid4().hex,
        "exception": {"values": [{"type": "OtherError"}]},
    }
    api.deliver([another])
    deadline = time.monotonic() + 60
    told: list[str] = []
    while not told and time.monotonic() < deadline:
        time.sleep(1)
        evaluate(api.context, EndlessRun(), changes, FairSchedule())
        told = [row["title"] for row in fired(api, rule.id)]
    assert told == ["OtherError"]


def test_a_project_with_many_variants_leaves_time_to_others(
    api: Uploading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_maps, "PROJECT_SECONDS", 0.0)
    monkeypatch.setattr(variant_mapping, "VARIANTS_A_BATCH", 2)
    urls = [f"https://shop.example/{number}.js" for number in range(5)]
    api.deliver([an_error(*[url] * count, timestamp=time.time()) for count, url in enumerate(urls, 1)])
    job = source_maps.variant_mapping_job(api.context)
    for looked in (2, 4, 5, 5):
        job.work(EndlessRun())
        counted = api.admin.rows("select uniq(variant_hash) as count from errata_raw.variant_sources")
        assert counted[0]["count"] == looked


def fired(api: Uploading, rule_id: str) -> list[dict[str, Any]]:
    with api.store.database.reading() as connection:
        rows = connection.exec_driver_sql(
            "select title from alert_firings where rule_id = ?", (rule_id,)
        ).mappings()
        return [dict(row) for row in rows]
