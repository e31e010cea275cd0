"""`errata sourcemaps upload` and `errata sourcemaps explain`."""

import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata.service_client import Service, ServiceNotAsked, service_of
from errata.source_maps.bundle import MAP_ENDING, SCRIPT_ENDINGS

DONE, FAILED, CANNOT_TELL = 0, 1, 2
UPLOAD_SECONDS = 600.0
# Not compressed: less than a request may have. A larger build is sent in several.
PART_BYTES = 200 << 20


@dataclass(frozen=True)
class Build:
    """A build's folder, and what its files are looked for by. `prefix` stands before their paths in URLs."""

    directory: Path
    release: str
    dist: str
    prefix: str


def upload(environ: Mapping[str, str], data: Path, project: str, build: Build) -> int:
    """0: everything is stored; 1: there is nothing to upload; 2: the service refused it or did not answer."""

    def send(service: Service) -> int:
        parts = list(_parts(_files(build.directory)))
        if not parts:
            print((f"errata: {build.directory} contains no scripts or source maps"), file=sys.stderr)  # noqa: T201
            return FAILED
        parameters = {"release": build.release, "dist": build.dist, "prefix": build.prefix}
        for part in parts:
            told = service.ask("sourcemaps", parameters, _zipped(build.directory, part), UPLOAD_SECONDS)
            _say(_uploaded(told, build))
        return DONE

    return _with_service(environ, data, project, send)


def explain(environ: Mapping[str, str], data: Path, project: str, event_id: str) -> int:
    """0: all frames are original ones; 1: some stay minified; 2: the service could not be asked."""

    def ask(service: Service) -> int:
        told = service.ask(f"events/{event_id}/sourcemaps")
        _say(*_explained(told))
        return FAILED if told["unmapped"] else DONE

    return _with_service(environ, data, project, ask)


def _with_service(
    environ: Mapping[str, str], data: Path, project: str, work: Callable[[Service], int]
) -> int:
    try:
        return work(service_of(environ, data, project))
    except ServiceNotAsked as error:
        print(f"errata: {error}", file=sys.stderr)  # noqa: T201
        return CANNOT_TELL


def _files(directory: Path) -> list[Path]:
    return sorted(
        path
        for path in directory.rglob("*")
        if path.name.endswith((*SCRIPT_ENDINGS, MAP_ENDING)) and path.is_file()
    )


def _parts(files: Sequence[Path]) -> Iterator[list[Path]]:
    """A map comes with its script: their names begin the same, and are sorted."""
    part: list[Path] = []
    byte_count = 0
    for path in files:
        size = path.stat().st_size
        if part and byte_count + size > PART_BYTES and not path.name.startswith(part[-1].name):
            yield part
            part, byte_count = [], 0
        part.append(path)
        byte_count += size
    if part:
        yield part


def _zipped(directory: Path, files: Sequence[Path]) -> bytes:
    with tempfile.TemporaryFile() as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                archive.write(path, path.relative_to(directory).as_posix())
        stream.seek(0)
        return stream.read()


def _uploaded(told: Mapping[str, Any], build: Build) -> str:
    where = f"for release {build.release}" if build.release else "by debug ID"
    what = f"{told['script_count']} scripts, {told['map_count']} of them with source maps, {where}"
    return f"Uploaded {what}" if told["is_new"] else f"Uploaded before: {what}"


def _explained(told: Mapping[str, Any]) -> Iterator[str]:
    if not told["minified_count"]:
        yield "None of the event's frames needs a source map."
        return
    yield f"{told['mapped_count']} of {told['minified_count']} minified frames are mapped to their source."
    for frame in told["unmapped"]:
        place = ":".join(str(each) for each in (frame["url"], frame["line"], frame["column"]) if each)
        yield f"\n{frame['function'] or '?'} at {place}"
        yield f"  Searched for: {frame['looked_for']}"
        yield f"  Found:      {frame['found']}"
        yield f"  Fix:          {frame['remedy']}"


def _say(*lines: str) -> None:
    for line in lines:
        print(line)  # noqa: T201
