"""Which files an archive may and must have: those that git tracks, of known kinds, and the builder's own."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from release.archive import Archive
from release.distributions import SERVED, SERVER, Distribution

# Tracked or not, a file of another kind in a package is no part of a release.
KINDS = frozenset(
    ".py .typed .sql .html .css .js .json .md .mako .sh .svg .png .yml .ipynb .woff2 .txt .toml .yaml"
    " .example .service .socket .logrotate".split()
)
NAMES = frozenset({"LICENSE", "LICENSE-parts", "NOTICE", "PKG-INFO", ".gitignore"})
WRITTEN = ("METADATA", "WHEEL", "RECORD")


def content_problems(archive: Archive, tracked: frozenset[str], version: str) -> Iterator[str]:
    """`tracked`: paths of the repository's files."""
    name, held = archive.path.name, archive.files.keys()
    of = archive.distribution
    expected = wheel_files(of, tracked, version) if archive.is_wheel else sdist_files(of, tracked)
    yield from (f"{name} has a stray file: {one}" for one in sorted(held - expected))
    yield from (f"{name} lacks a file: {one}" for one in sorted(expected - held))
    strange = (one for one in sorted(held & expected) if not _is_known(one))
    yield from (f"{name} has a file of an unknown kind: {one}" for one in strange)


def wheel_files(distribution: Distribution, tracked: frozenset[str], version: str) -> set[str]:
    own = _own(distribution, tracked)
    information = f"{distribution.file_name}-{version}.dist-info"
    files = {path for path in own if path.partition("/")[0] in distribution.packages}
    data = f"{distribution.file_name}-{version}.data"
    for source, target in distribution.moved.items():
        beneath = (path for path in own if path == source or path.startswith(f"{source}/"))
        files |= {target.format(data=data) + path.removeprefix(source) for path in beneath}
    files |= {f"{information}/{name}" for name in WRITTEN}
    files |= {f"{information}/licenses/{name}" for name in distribution.licenses}
    if distribution.command:
        files.add(f"{information}/entry_points.txt")
    if distribution is SERVER:
        files |= {f"errata/downloads/wheels/{one.wheel_name(version)}" for one in SERVED}
    return files


def sdist_files(distribution: Distribution, tracked: frozenset[str]) -> set[str]:
    own = _own(distribution, tracked)
    sources = (*distribution.packages, *distribution.moved, *distribution.sources)
    files = {path for path in own if path in sources or path.partition("/")[0] in sources}
    return files | {"pyproject.toml", "README.md", "PKG-INFO", ".gitignore", *distribution.licenses}


def _own(distribution: Distribution, tracked: frozenset[str]) -> set[str]:
    """Paths within the distribution's folder."""
    start = f"{distribution.folder}/" if distribution.folder else ""
    return {path.removeprefix(start) for path in tracked if path.startswith(start)}


def _is_known(path: str) -> bool:
    written = ".dist-info/" in path or path.endswith(".whl")
    return written or PurePosixPath(path).name in NAMES or PurePosixPath(path).suffix in KINDS
