"""Pieces and assemblies that a broken or hostile tool may send."""

import gzip
import hashlib
import io
import random
import shutil
import threading
import time
import tracemalloc
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.settings import ApiSettings
from api.source_uploads import SourceUploads
from api.uploads import chunks
from api.uploads.chunks import CHUNK_BYTES
from errata.source_maps.bundle import read_bundle
from errata.state.capability import Capability
from tests.browser_builds import extract_builds, zipped
from tests.processes import WarehouseProcess
from tests.source_map_files import a_build, an_error
from tests.uploading import Uploading, uploading

CHUNKS = "/api/0/organizations/any/chunk-upload/"
ASSEMBLE = "/api/0/organizations/any/artifactbundle/assemble/"
TABLES = ("source_bundles", "source_maps", "source_contents")


@pytest.fixture
def api(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Uploading]:
    with uploading(warehouse, tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return zipped(extract_builds(tmp_path_factory.mktemp("builds")) / "1.1.0" / "assets")


def sha1(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


def send(api: Uploading, kind: str, name: str, content: bytes) -> tuple[int, dict[str, Any]]:
    headers = {"Authorization": f"Bearer {api.token()}"}
    answer = api.client.post(CHUNKS, files={kind: (name, io.BytesIO(content))}, headers=headers)
    return answer.status_code, answer.json()


def assemble(api: Uploading, checksum: str, pieces: list[str], **more: object) -> dict[str, Any]:
    sent = {"checksum": checksum, "chunks": pieces, "projects": [api.project.slug], "version": "r1", **more}
    answer = api.client.post(ASSEMBLE, json=sent, headers={"Authorization": f"Bearer {api.token()}"})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def stored(api: Uploading) -> dict[str, int]:
    return {table: api.admin.rows(f"select count() as n from errata_raw.{table}")[0]["n"] for table in TABLES}


@pytest.mark.slow
def test_pieces_are_asked_for_and_put_together_once(api: Uploading, bundle: bytes) -> None:
    pieces = [bundle[start : start + 100_000] for start in range(0, len(bundle), 100_000)]
    names = [sha1(piece) for piece in pieces]
    assert assemble(api, sha1(bundle), names)["missingChunks"] == names
    for number, (name, piece) in enumerate(zip(names, pieces, strict=True)):
        kind, content = ("file_gzip", gzip.compress(piece)) if number % 2 else ("file", piece)
        assert send(api, kind, name, content)[0] == 200
        assert send(api, kind, name, content)[0] == 200
    first = assemble(api, sha1(bundle), names)
    assert (first["state"], first["missingChunks"]) == ("ok", [])
    once = stored(api)
    assert once == {"source_bundles": 1, "source_maps": 6, "source_contents": 12}
    assert assemble(api, sha1(bundle), names)["state"] == "ok"
    assert stored(api) == once
    # For another release the same files are stored once.
    assert assemble(api, sha1(bundle), names, version="r2")["state"] == "ok"
    assert stored(api) == {"source_bundles": 2, "source_maps": 12, "source_contents": 12}


@pytest.mark.parametrize(
    ("kind", "name", "content", "said"),
    [
        ("file", sha1(b"x"), b"y", "isn't the SHA-1"),
        ("file", "x" * 40, b"y", "must be the SHA-1"),
        ("file", "../../etc/passwd", b"y", "must be the SHA-1"),
        ("file_gzip", sha1(b"x"), b"x", "isn't compressed by gzip"),
        ("other", sha1(b"x"), b"x", "must be named"),
        ("file", sha1(bytes(CHUNK_BYTES + 1)), bytes(CHUNK_BYTES + 1), "more than"),
        ("file_gzip", sha1(b"x"), gzip.compress(bytes(CHUNK_BYTES * 50)), "more than"),
    ],
    ids=["other content", "no digits", "path", "no gzip", "no part", "too large", "bomb"],
)
def test_a_piece_that_is_not_what_it_says_is_refused(
    api: Uploading, kind: str, name: str, content: bytes, said: str
) -> None:
    status, answer = send(api, kind, name, content)
    assert (status, answer["error"]) == (400, "invalid_parameter")
    assert said in answer["message"]
    assert api.admin.rows("select count() as n from errata_raw.upload_chunks") == [{"n": 0}]


def test_what_cannot_be_put_together_is_told_and_leaves_nothing(api: Uploading, bundle: bytes) -> None:
    half = bundle[: len(bundle) // 2]
    for content in (half, b"no zip", bundle):
        assert send(api, "file", sha1(content), content)[0] == 200
    told = assemble(api, sha1(half), [sha1(half)])
    assert (told["state"], told["detail"]) == ("error", "The upload isn't a ZIP file")
    told = assemble(api, sha1(b"other"), [sha1(b"no zip")])
    assert (told["state"], told["detail"]) == ("error", "The checksum isn't the SHA-1 of the chunks")
    assert stored(api) == dict.fromkeys(TABLES, 0)


def test_pieces_of_another_project_are_not_there(api: Uploading, bundle: bytes) -> None:
    assert send(api, "file", sha1(bundle), bundle)[0] == 200
    other = api.store.projects.create(api.organization_id, "Another", actor="owner").project
    token = api.store.project_tokens.create(
        api.organization_id, other.slug, [Capability.UPLOAD], "CI", 30, actor="owner"
    ).text
    sent = {"checksum": sha1(bundle), "chunks": [sha1(bundle)], "projects": [other.slug]}
    answer = api.client.post(ASSEMBLE, json=sent, headers={"Authorization": f"Bearer {token}"})
    assert answer.json()["state"] == "not_found"


@pytest.mark.slow
def test_an_upload_of_many_small_files_is_stored_and_removed(api: Uploading, tmp_path: Path) -> None:
    for number in range(30_000):
        (tmp_path / f"{number}.js").write_text(f"f({number});")
    told = api.upload(tmp_path, "r1")
    assert (told["script_count"], told["map_count"], told["is_new"]) == (30_000, 0, True)
    assert stored(api) == {"source_bundles": 1, "source_maps": 30_000, "source_contents": 30_000}
    uploads = SourceUploads(api.context.warehouse, api.context.read, api.project.id)
    # Nothing is older than a day yet.
    assert uploads.remove_unused(datetime.now(UTC)) == 0
    assert stored(api)["source_contents"] == 30_000
    assert uploads.remove_unused(datetime.now(UTC) + timedelta(days=91)) == 1
    assert stored(api) == dict.fromkeys(TABLES, 0)


def test_no_more_than_two_uploads_are_put_together_at_once(api: Uploading, bundle: bytes) -> None:
    """Each has files of up to 64 MiB in memory."""
    assert send(api, "file", sha1(bundle), bundle)[0] == 200
    limiter, borrowed, is_over = api.context.upload_limiter, [0], threading.Event()

    def watch() -> None:
        while not is_over.wait(0.0005):
            borrowed.append(limiter.borrowed_tokens)

    watching = threading.Thread(target=watch)
    watching.start()
    with ThreadPoolExecutor(6) as threads:
        found = list(
            threads.map(lambda n: assemble(api, sha1(bundle), [sha1(bundle)], version=f"r{n}"), range(6))
        )
    is_over.set()
    watching.join()
    assert {each["state"] for each in found} == {"ok"}
    assert max(borrowed) == 2


def test_a_large_map_is_in_memory_few_times_while_it_is_stored(api: Uploading) -> None:
    size = 32 << 20
    content = zip_of({"a.js": b"f();", "a.js.map": random.Random(1).randbytes(1 << 20) * 32})
    tracemalloc.start()
    SourceUploads(api.context.warehouse, api.context.read, api.project.id).store(
        read_bundle(io.BytesIO(content)), "r1", "", "CI"
    )
    assert tracemalloc.get_traced_memory()[1] < 3 * size
    tracemalloc.stop()


def zip_of(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return stream.getvalue()


def test_pieces_of_two_days_are_limited(api: Uploading, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MOST_CHUNKS_KEPT", 3)
    for number in range(3):
        assert send(api, "file", sha1(b"%d" % number), b"%d" % number)[0] == 200
    status, told = send(api, "file", sha1(b"3"), b"3")
    assert status == 422 and "upload chunks" in told["message"]


def test_uploads_leave_room_for_deliveries(warehouse: WarehouseProcess, tmp_path: Path) -> None:
    free = shutil.disk_usage(warehouse.directory).free
    settings = ApiSettings(gather_ms=5, disk_free_min_bytes=free * 2 // 3)
    with uploading(warehouse, tmp_path, settings=settings) as api:
        api.deliver([an_error("https://shop.example/app.js", timestamp=time.time())])
        assert send(api, "file", sha1(b"f"), b"f")[0] == 503
        answer = api.client.post(
            f"{api.path}/sourcemaps", params={"release": "r"}, content=a_build(), headers=api.headers
        )
        assert (answer.status_code, answer.json()["error"]) == (503, "disk_full")
