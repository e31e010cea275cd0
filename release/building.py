"""Builds the sdist of each distribution, and its wheel from the sdist."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from release.archive import Archive, read_archive
from release.command import run
from release.contents import content_problems
from release.distributions import DISTRIBUTIONS, Distribution
from release.errors import ReleaseRefused
from release.metadata import metadata_problems


def build(root: Path, folder: Path, distributions: Iterable[Distribution] = DISTRIBUTIONS) -> None:
    """Needs `build` and `hatchling` in the environment of this process: nothing is fetched."""
    for distribution in distributions:
        run(
            sys.executable, "-m", "build", "--no-isolation", "--outdir", folder,
            distribution.path(root), cwd=folder,
        )  # fmt: skip


def check_archives(folder: Path, tracked: frozenset[str], version: str) -> None:
    """Refuses archives by all that is wrong with them; `tracked` are the repository's files."""
    problems = list[str]()
    for distribution in DISTRIBUTIONS:
        for path in archives_of(folder, distribution, version):
            problems += archive_problems(read_archive(path, distribution), tracked, version)
    expected = {path.name for one in DISTRIBUTIONS for path in archives_of(folder, one, version)}
    strays = sorted(path.name for path in folder.iterdir() if path.name not in expected)
    problems += [f"{name} is no archive of version {version}" for name in strays]
    if problems:
        raise ReleaseRefused(*problems)
    run(sys.executable, "-m", "twine", "check", "--strict", *sorted(folder.iterdir()), cwd=folder)


def archive_problems(archive: Archive, tracked: frozenset[str], version: str) -> Iterator[str]:
    yield from content_problems(archive, tracked, version)
    yield from metadata_problems(archive, version)


def archives_of(folder: Path, distribution: Distribution, version: str) -> tuple[Path, Path]:
    return folder / distribution.wheel_name(version), folder / distribution.sdist_name(version)
