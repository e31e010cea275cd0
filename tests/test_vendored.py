"""Files of others: each has an entry with its checksum beside it, a license, and a place in NOTICE."""

import gzip
import hashlib
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENTRY = re.compile(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", re.MULTILINE)
SECTION = re.compile(r"^==== (\S.*?) \(([A-Za-z0-9.-]+)\) ====$", re.MULTILINE)
# Its other files are a shop of ours.
RECORDED_SHOP = "tests/data/recorded_shop"
EXCERPTS = ROOT / "tests/data"
RECORDED = (
    *EXCERPTS.glob("*.jsonl*"),
    *EXCERPTS.glob("browser/*.jsonl.gz"),
    *(ROOT / "demo").glob("*.jsonl.gz"),
)
PACKAGE = re.compile(r"/(?:site|dist)-packages/([^/]+)|/node_modules/((?:@[^/]+/)?[^/]+)")
STANDARD_LIBRARY = re.compile(r"/lib/python3\.\d+/")


@cache
def tracked() -> frozenset[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return frozenset(listed.stdout.split("\0")) - {""}


def vendored_folders() -> dict[str, set[str]]:
    """Names of the files of others, by folder."""
    found: dict[str, set[str]] = {}
    for path in tracked():
        folder, _, name = path.rpartition("/")
        if "/vendor/" in f"/{folder}/" and name != "README.md":
            top = re.sub(r"(/vendor/[^/]+)/.*", r"\1", folder)
            found.setdefault(top, set()).add(path.removeprefix(f"{top}/"))
        elif folder == RECORDED_SHOP and (name.endswith(".min.js") or name.startswith("LICENSE")):
            found.setdefault(folder, set()).add(name)
    return found


def entries(readme: str) -> dict[str, str]:
    return dict(ENTRY.findall(readme))


def wrong_files(folder: Path, names: Iterable[str]) -> Iterator[str]:
    """Files without an entry, entries without a file, and files that differ from their entry."""
    listed = entries((folder / "README.md").read_text())
    yield from (f"{folder.name}/{name} has no entry" for name in sorted(set(names) - listed.keys()))
    for name, sha256 in listed.items():
        path = folder / name
        if not path.is_file():
            yield f"{folder.name}/{name} is missing"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            yield f"{folder.name}/{name} was changed"


def test_every_vendored_file_is_the_one_of_its_entry() -> None:
    folders = vendored_folders()
    assert len(folders) >= 5
    assert [wrong for folder, names in folders.items() for wrong in wrong_files(ROOT / folder, names)] == []


@pytest.mark.parametrize("change", ["one byte", "another file", "a missing file"])
def test_a_change_is_noticed(change: str, tmp_path: Path) -> None:
    folder, names = next(iter(sorted(vendored_folders().items())))
    copy = tmp_path / "vendor"
    copy.mkdir()
    for name in (*names, "README.md"):
        (copy / name).write_bytes((ROOT / folder / name).read_bytes())
    assert list(wrong_files(copy, names)) == []
    name = max(names)
    content = (copy / name).read_bytes()
    if change == "one byte":
        (copy / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert list(wrong_files(copy, names)) == [f"vendor/{name} was changed"]
    elif change == "another file":
        assert list(wrong_files(copy, {*names, "other.js"})) == ["vendor/other.js has no entry"]
    else:
        (copy / name).unlink()
        assert list(wrong_files(copy, names)) == [f"vendor/{name} is missing"]


def test_every_vendored_folder_has_a_license_and_stands_in_the_notice() -> None:
    notice = (ROOT / "NOTICE").read_text()
    for folder, names in vendored_folders().items():
        above, _, name = folder.rpartition("/")
        assert "LICENSE" in names, folder
        assert folder in notice or (f"{above}/:" in notice and f"- {name}: " in notice), folder
        readme = (ROOT / folder / "README.md").read_text()
        assert re.search(r"npm (?:package|registry)", readme), folder
        assert re.search(r"\d+\.\d+(?:\.\d+)?", readme), folder


def test_licenses_of_parts_are_named_with_their_texts() -> None:
    files = [path for path in tracked() if path.endswith("/LICENSE-parts")]
    assert len(files) >= 4
    for path in files:
        _, *sections = re.split(r"^(?=====)", (ROOT / path).read_text(), flags=re.MULTILINE)
        assert len(sections) >= 3
        for section in sections:
            assert SECTION.match(section), section[:80]
            assert len(section) > 500 and "opyright" in section, section[:80]


def test_the_license_of_the_server_covers_its_vendored_files() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    declared = re.search(r'^license = "(.+)"$', project, re.MULTILINE)
    assert declared is not None
    parts = {"Apache-2.0", "MIT", "OFL-1.1"}
    for path in (ROOT / "dashboards/static/vendor").rglob("LICENSE-parts"):
        parts |= {spdx for _, spdx in SECTION.findall(path.read_text())}
    assert set(declared[1].split(" AND ")) == parts


def quoted_packages() -> dict[str, set[str]]:
    """By package: the files whose events have lines of its source."""
    found: dict[str, set[str]] = {}
    for path in RECORDED:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
        for line in text.split("\n"):
            if '"context_line"' in line:
                for package in _quoted(json.loads(line)):
                    found.setdefault(package, set()).add(str(path.relative_to(ROOT)))
    return found


def _quoted(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if value.get("context_line"):
            file = value.get("abs_path") or value.get("filename") or ""
            if match := PACKAGE.search(file):
                yield match[1] or match[2]
            elif STANDARD_LIBRARY.search(file):
                yield "Python standard library"
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _quoted(one)


def test_every_package_whose_source_is_quoted_is_named_with_its_license() -> None:
    quoted = quoted_packages()
    assert len(quoted) > 8
    licenses = {
        title.lower(): spdx for title, spdx in SECTION.findall((EXCERPTS / "LICENSE-parts").read_text())
    }
    rows = re.findall(r"^\| (.+) \| (.+) \| (.+) \|$", (EXCERPTS / "README.md").read_text(), re.MULTILINE)[1:]
    named = {name.lower(): (spdx, set(re.findall(r"`([^`]+)`", files))) for name, spdx, files in rows}
    assert named.keys() == {name.lower() for name in quoted}
    for name, files in quoted.items():
        (spdx,) = [spdx for title, spdx in licenses.items() if title.startswith(f"{name.lower()} ")]
        assert named[name.lower()] == (spdx, files)
