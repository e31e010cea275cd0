"""Uploads as tools make them, and as nobody should."""

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Mapping
from random import Random
from uuid import UUID

import pytest

from errata.source_maps import bundle as bundles
from errata.source_maps.bundle import BundleUnusable, pairs_of, read_bundle
from tests.cases import each

ONE, OTHER = UUID(int=0x1111), UUID(int=0x2222)
SCRIPT = b"f();\n//# sourceMappingURL=a.js.map\n"


def a_zip(files: Mapping[str, bytes], prefix: bytes = b"") -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return io.BytesIO(prefix + stream.getvalue())


def with_manifest(files: Mapping[str, bytes], about: Mapping[str, object], **more: str) -> io.BytesIO:
    manifest = json.dumps({"files": about, **more}).encode()
    return a_zip({**files, "manifest.json": manifest}, b"SYSB\x01\x00\x00\x00")


def test_a_bundle_of_a_tool_says_urls_debug_ids_and_references() -> None:
    found = read_bundle(
        with_manifest(
            {"files/_/_/a.js": SCRIPT, "files/_/_/a.js.map": b"{}"},
            {
                "files/_/_/a.js": {
                    "url": "~/a.js",
                    "type": "minified_source",
                    "headers": {"debug-id": str(ONE), "sourcemap": "a.js.map"},
                },
                "files/_/_/a.js.map": {
                    "url": "~/a.js.map",
                    "type": "source_map",
                    "headers": {"Debug-Id": str(ONE)},
                },
            },
            release="shop@1",
            dist="7",
        )
    )
    assert (found.release, found.dist) == ("shop@1", "7")
    (pair,) = pairs_of(found)
    assert (pair.name, pair.debug_id) == ("~/a.js", ONE)
    assert pair.map is not None and found.content(pair.map) == b"{}"


def test_a_plain_folder_is_read_from_its_files() -> None:
    found = read_bundle(
        a_zip(
            {
                "a.js": SCRIPT,
                "a.js.map": b'{"debug_id": "00000000-0000-0000-0000-000000001111"}',
                "b.js": b"g()",
                "b.js.map": b"{}",
                "c.js": b"h()\n//# debugId=00000000-0000-0000-0000-000000002222",
                "lonely.mjs.map": b"{}",
                "index.html": b"<p>",
            }
        ),
        "~/assets/",
    )
    pairs = {pair.name: pair for pair in pairs_of(found)}
    assert sorted(pairs) == ["~/assets/a.js", "~/assets/b.js", "~/assets/c.js", "~/assets/lonely.mjs"]
    assert all(pairs[f"~/assets/{name}"].map is not None for name in ("a.js", "b.js", "lonely.mjs"))
    assert pairs["~/assets/c.js"].map is None and pairs["~/assets/c.js"].debug_id == OTHER
    assert pairs["~/assets/lonely.mjs"].script is None


def test_a_map_belongs_to_the_script_of_its_build() -> None:
    """Two builds in one folder: names lead astray, debug ids do not."""
    script = b"f();\n//# sourceMappingURL=old.js.map\n//# debugId=00000000-0000-0000-0000-000000001111"
    new = b'{"debugId": "00000000-0000-0000-0000-000000001111"}'
    found = read_bundle(a_zip({"a.js": script, "old.js.map": b"{}", "new.js.map": new}))
    pair = next(pair for pair in pairs_of(found) if pair.name == "~/a.js")
    assert pair.map is not None and pair.map.name == "~/new.js.map"


@each(
    ("stream", "said"),
    [
        (io.BytesIO(b"no zip"), "isn't a ZIP file"),
        (io.BytesIO(b""), "isn't a ZIP file"),
        (a_zip({"../a.js": SCRIPT}), "points outside"),
        (a_zip({"/etc/a.js": SCRIPT}), "points outside"),
        (a_zip({"a\\..\\..\\b.js": SCRIPT}), "points outside"),
        (with_manifest({}, {"gone.js": {"type": "minified_source"}}), "isn't in the upload"),
        (a_zip({"manifest.json": b"[1]"}), "can't be read"),
        (a_zip({"manifest.json": b'{"files": 3}'}), "can't be read"),
        (a_zip({"manifest.json": b"\xff\xfe"}), "can't be read"),
    ],
    ids=["text", "empty", "up", "root", "backslashes", "missing", "list", "number", "bytes"],
)
def test_what_is_no_upload_is_refused_in_a_sentence(stream: io.BytesIO, said: str) -> None:
    with pytest.raises(BundleUnusable, match=said):
        read_bundle(stream)


def test_a_damaged_file_is_refused() -> None:
    whole = a_zip({"a.js": SCRIPT * 1000}).getvalue()
    at = whole.index(b"a.js") + 20
    broken = whole[:at] + bytes(20) + whole[at + 20 :]
    with pytest.raises(BundleUnusable, match="damaged"):
        read_bundle(io.BytesIO(broken))


def test_bombs_are_refused_before_they_are_inflated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "LARGEST_FILE", 1 << 20)
    monkeypatch.setattr(bundles, "LARGEST_UPLOAD", 4 << 20)
    with pytest.raises(BundleUnusable, match="1,048,576 are allowed"):
        read_bundle(a_zip({"a.js": bytes(2 << 20)}))
    with pytest.raises(BundleUnusable, match="decompresses to"):
        read_bundle(a_zip({f"{n}.txt": bytes(1 << 20) for n in range(5)}))
    # An archive that lies about its sizes.
    told = (
        a_zip({"a.js": bytes(2 << 20)})
        .getvalue()
        .replace((2 << 20).to_bytes(4, "little"), (9).to_bytes(4, "little"))
    )
    with pytest.raises(BundleUnusable):
        read_bundle(io.BytesIO(told))


@pytest.mark.slow
def test_more_files_than_allowed_are_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(bundles.MOST_FILES + 1):
            archive.writestr(zipfile.ZipInfo(f"{number}.js"), b"")
    with pytest.raises(BundleUnusable, match="more than 100,000 files"):
        read_bundle(stream)


def test_a_directory_of_many_files_is_not_made_objects_of() -> None:
    """Python's zipfile makes one of each, of ten times its bytes."""
    record = b"PK\1\2" + struct.pack("<4B4HL2L5H2L", 20, 0, 20, *[0] * 8, 1, *[0] * 6) + b"a"
    for count, said in ((200_000, "more than 100,000 files"), (2_000_000, "directory has more than")):
        directory = record * count
        end = struct.pack("<4H2LH", 0, 0, count & 0xFFFF, count & 0xFFFF, len(directory), 0, 0)
        stream = io.BytesIO(directory + b"PK\5\6" + end)
        tracemalloc.start()
        with pytest.raises(BundleUnusable, match=said):
            read_bundle(stream)
        assert tracemalloc.get_traced_memory()[1] < 3 * bundles.LARGEST_DIRECTORY
        tracemalloc.stop()


@each("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=["bzip2", "lzma"])
def test_files_that_are_inflated_without_a_bound_are_refused(method: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("a.js", SCRIPT)
    with pytest.raises(BundleUnusable, match="unsupported compression method"):
        read_bundle(stream)


def test_a_manifest_makes_no_more_objects_than_files() -> None:
    nested = b'{"files": {}, "x": [' + b"[]," * 2_000_000 + b"1]}"
    stream = a_zip({"manifest.json": nested})
    tracemalloc.start()
    assert read_bundle(stream).files == ()
    assert tracemalloc.get_traced_memory()[1] < 6 * len(nested)
    tracemalloc.stop()
    many = b'{"files": {' + b",".join(b'"%d":{}' % number for number in range(500_000)) + b"}}"
    with pytest.raises(BundleUnusable, match="too many files"):
        read_bundle(a_zip({"manifest.json": many}))


def test_an_archive_damaged_anywhere_is_refused_in_a_sentence() -> None:
    files = {"a.js": SCRIPT, "a.js.map": b"{}", "ü/b.js": b"x" * 500}
    wholes = [a_zip(files).getvalue(), with_manifest(files, {"a.js": {"type": "script"}}).getvalue()]
    random = Random(7)
    refused = 0
    for _ in range(5_000):
        damaged = bytearray(random.choice(wholes))
        for _ in range(random.randint(1, 4)):
            damaged[random.randrange(len(damaged))] = random.randrange(256)
        try:
            found = read_bundle(io.BytesIO(bytes(damaged)))
            pairs_of(found)
            for file in found.files:
                found.content(file)
        except BundleUnusable:
            refused += 1
    assert 500 < refused < 5_000


def test_a_reference_that_is_no_address_is_none() -> None:
    found = read_bundle(a_zip({"a.js": b"f();\n//# sourceMappingURL=//[x\n", "a.js.map": b"{}"}))
    (pair,) = pairs_of(found)
    assert pair.map is not None and pair.map.name == "~/a.js.map"
