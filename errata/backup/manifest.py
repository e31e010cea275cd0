"""What a backup consists of: written last, so that a folder without it is an interrupted backup."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from errata import __version__
from errata.private_file import write_private

NAME = "manifest.json"
# Format 1, of version 0.5.0, lacks the name and the list of erasures.
FORMAT = 2


class ManifestUnreadable(Exception):
    """A manifest that is not what was written."""


@dataclass(frozen=True)
class TableCopy:
    """`create`: the statement that makes it; `rows`: in the backup, None where its rows are left out."""

    create: str
    rows: int | None


@dataclass(frozen=True)
class FileCopy:
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Base:
    """The backup that holds what has not changed since; `sha256` of its manifest."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """`version` of Errata and `engine` of ClickHouse that wrote it; moments in ISO 8601; `sections`: parts of
    the warehouse in the order in which they were copied; `state`: sqlite or postgresql; `files`: by path in
    the backup's folder; `name`: of this folder."""

    version: str
    engine: str
    began_at: str
    finished_at: str
    base: Base | None
    databases: tuple[str, ...]
    sections: tuple[str, ...]
    tables: Mapping[str, TableCopy]
    state: str
    has_secret: bool
    files: Mapping[str, FileCopy]
    name: str = ""

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files.values())

    @property
    def rows(self) -> int:
        return sum(table.rows or 0 for table in self.tables.values())

    def write(self, folder: Path) -> None:
        content = {"format": FORMAT, **asdict(self)}
        write_private(folder / NAME, json.dumps({"sha256": _hash(content), "backup": content}, indent=1))
        sync_folder(folder)
        sync_folder(folder.parent)


def read_manifest(folder: Path) -> tuple[Manifest, str]:
    """The manifest and its sha256. Raises ManifestUnreadable."""
    return parsed_manifest((folder / NAME).read_bytes(), folder.name)


def parsed_manifest(text: bytes, name: str) -> tuple[Manifest, str]:
    """Of the backup of this name. Raises ManifestUnreadable."""
    try:
        stored = json.loads(text)
        told, content = stored["sha256"], stored["backup"]
    except (ValueError, KeyError, TypeError) as error:
        raise ManifestUnreadable("its manifest is unreadable") from error
    if told != _hash(content):
        raise ManifestUnreadable("its manifest was changed")
    version = content["version"]
    if content.pop("format") > FORMAT or _is_newer(version):
        raise ManifestUnreadable(
            f"it was written by Errata {version}, newer than this version, {__version__}; restore it with "
            "that version"
        )
    if content.get("name", name) != name:
        raise ManifestUnreadable(f"its manifest is that of {content['name']}")
    content["base"] = content["base"] and Base(**content["base"])
    content["tables"] = {name: TableCopy(**table) for name, table in content["tables"].items()}
    content["files"] = {name: FileCopy(**file) for name, file in content["files"].items()}
    content["databases"], content["sections"] = tuple(content["databases"]), tuple(content["sections"])
    return Manifest(**content), told


def files_of(folder: Path) -> dict[str, FileCopy]:
    """Every file in the folder, with its checksum; all of them are on disk afterwards."""
    return {str(path.relative_to(folder)): _copied(path) for path in _files(folder)}


def checksum(path: Path) -> str:
    """SHA-256 of the file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _files(folder: Path) -> Iterator[Path]:
    for inner, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield Path(inner, name)
        sync_folder(Path(inner))


def _copied(path: Path) -> FileCopy:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
        return FileCopy(file.tell(), digest)


def _is_newer(version: str) -> bool:
    return _numbers(version) > _numbers(__version__)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall("[0-9]+", version)[:3]]


def _hash(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
