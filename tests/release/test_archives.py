"""What a release refuses of a wheel and an sdist, by name."""

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from errata import __version__
from release.archive import read_archive
from release.building import archive_problems
from release.distributions import ROOT, SERVER, WIRE
from release.errors import ReleaseRefused
from release.repository import tracked_files
from tests.cases import each

INFORMATION = f"errata_wire-{__version__}.dist-info"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the sdist of errata-wire, as they are released."""
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=WIRE.path(ROOT), check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def tracked() -> frozenset[str]:
    return tracked_files(ROOT)


def problems_of(path: Path, tracked: frozenset[str], version: str = __version__) -> list[str]:
    return list(archive_problems(read_archive(path, WIRE), tracked, version))


def changed(wheel: Path, name: str, content: bytes | None) -> Path:
    """A copy of the wheel with another file, or without one."""
    copy = wheel.with_name("changed") / wheel.name
    copy.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(copy, "w") as new:
        for one in old.namelist():
            if one != name:
                new.writestr(one, old.read(one))
        if content is not None:
            new.writestr(name, content)
    return copy


def metadata(wheel: Path, old: str, new: str) -> Path:
    name = f"{INFORMATION}/METADATA"
    text = zipfile.ZipFile(wheel).read(name).decode()
    assert old in text
    return changed(wheel, name, text.replace(old, new).encode())


def test_what_is_built_is_accepted(built: Path, tracked: frozenset[str]) -> None:
    assert {path.suffix for path in built.glob("errata_wire*")} == {".whl", ".gz"}
    for path in built.glob("errata_wire*"):
        assert problems_of(path, tracked) == []


@each(
    "name, content, problem",
    [
        ("errata_wire/notes.py", b"", "has a stray file: errata_wire/notes.py"),
        ("tests/test_wire.py", b"", "has a stray file: tests/test_wire.py"),
        ("errata_wire/__pycache__/a.pyc", b"", "has a stray file: errata_wire/__pycache__/a.pyc"),
        ("errata_wire/rate.py", None, "lacks a file: errata_wire/rate.py"),
        ("errata_wire/py.typed", None, "lacks a file: errata_wire/py.typed"),
        (f"{INFORMATION}/licenses/LICENSE", None, f"lacks a file: {INFORMATION}/licenses/LICENSE"),
        (f"{INFORMATION}/licenses/NOTICE", None, ": NOTICE is listed as a license, and isn't there"),
    ],
)
def test_a_wheel_with_another_file_or_without_one_is_refused(
    name: str, content: bytes | None, problem: str, built: Path, tracked: frozenset[str]
) -> None:
    wheel = changed(built / WIRE.wheel_name(__version__), name, content)
    told = [
        one.removeprefix(f"{wheel.name} ").removeprefix(wheel.name) for one in problems_of(wheel, tracked)
    ]
    assert problem in told


def test_a_tracked_file_of_an_unknown_kind_is_refused(built: Path, tracked: frozenset[str]) -> None:
    wheel = changed(built / WIRE.wheel_name(__version__), "errata_wire/dump.sqlite", b"rows")
    told = problems_of(wheel, tracked | {"wire/errata_wire/dump.sqlite"})
    assert told == [f"{wheel.name} has a file of an unknown kind: errata_wire/dump.sqlite"]


@each(
    "old, new, problem",
    [
        (f"Version: {__version__}", "Version: 9.9", f" has Version 9.9, not {__version__}"),
        ("Name: errata-wire", "Name: wire", " has Name wire, not errata-wire"),
        ("License-Expression: Apache-2.0", "License-Expression: MIT", "begins with MIT, not Apache-2.0"),
        ("License-Expression: Apache-2.0\n", "", "begins with nothing, not Apache-2.0"),
        ("License-File: NOTICE\n", "", ": no License-File NOTICE"),
        ("Classifier: Typing :: Typed\n", "", " lacks the classifier Typing :: Typed"),
        ("# errata-wire", "[Docs](docs/wire.md)", "links to docs/wire.md, which only the repository has"),
        ("Description-Content-Type: text/markdown\n", "", ": no long description as Markdown"),
        (
            "Provides-Extra: otlp\n",
            "Requires-Dist: errata-sdk==0.1\nProvides-Extra: otlp\n",
            "needs errata-sdk==0.1",
        ),
    ],
)
def test_metadata_that_says_otherwise_is_refused(
    old: str, new: str, problem: str, built: Path, tracked: frozenset[str]
) -> None:
    told = problems_of(metadata(built / WIRE.wheel_name(__version__), old, new), tracked)
    assert len(told) == 1 and problem in told[0], told


def test_an_archive_of_another_version_is_refused(built: Path, tracked: frozenset[str]) -> None:
    told = problems_of(built / WIRE.wheel_name(__version__), tracked, "99.0.0")
    assert f"{WIRE.wheel_name(__version__)} has Version {__version__}, not 99.0.0" in told


@each("name", ["broken.whl", "broken.tar.gz"])
def test_a_broken_archive_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"PK\3\4 no archive")
    with pytest.raises(ReleaseRefused, match=f"^{name} can't be read: "):
        read_archive(path, WIRE)


@each("member", ["../outside.py", "/etc/passwd", "errata_wire-1/link"])
def test_an_sdist_holds_files_of_its_folder_only(member: str, tmp_path: Path) -> None:
    path = tmp_path / "errata_wire-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        information = tarfile.TarInfo(member)
        if member.endswith("link"):
            information.type, information.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(information, io.BytesIO())
    with pytest.raises(ReleaseRefused, match="isn't a file of its folder"):
        read_archive(path, WIRE)


def test_the_licenses_of_the_server_are_those_of_its_vendored_files(tracked: frozenset[str]) -> None:
    vendored = "dashboards/static/vendor/"
    beside = {path for path in tracked if path.startswith(vendored) and "/LICENSE" in path}
    assert set(SERVER.licenses) == {"LICENSE", "NOTICE", *beside}
