"""The list of erasures beside backups: ids and hashes, never content. A restore carries them out again."""

import gzip
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures import removal
from errata.warehouse.queries.erasures.log import Erasure, Kind, Step, erasures, record

ITEMS = "errata_raw.erased_items"
ITEMS_OF_A_LINE = 1_000
ITEMS_AT_ONCE = 100_000


class ListedErasure(msgspec.Struct):
    project_id: int
    erasure_id: UUID
    kind: Kind
    subject: str
    asked_by: str
    asked_at: datetime
    # Rows of errata_raw.erased_items, without project and erasure.
    items: list[dict[str, Any]] = []


def write_list(warehouse: Warehouse, path: Path) -> int:
    """Writes all erasures, and returns how many. A line holds up to a thousand items; the file is there when
    it is whole."""
    new = path.with_name(f".{path.name}.new")
    counted = warehouse.rows(sql.query("counts_of_erased_items"))
    counts = {row["erasure_id"]: row["item_count"] for row in counted}
    found = erasures(warehouse)
    with gzip.open(new, "wb") as file:
        for erasure in found:
            for line in _lines(warehouse, erasure, counts.get(erasure.erasure_id, 0)):
                file.write(msgspec.json.encode(line) + b"\n")
    new.replace(path)
    return len(found)


def replay(warehouse: Warehouse, path: Path) -> int:
    """Records the listed erasures that the warehouse has not finished, and removes their rows; returns how
    many. The service does the rest when it starts: titles, figures, and the state store."""
    settled = {one.erasure_id for one in erasures(warehouse) if one.reached is Step.SETTLED}
    replayed: dict[UUID, Erasure] = {}
    for line in _listed(path):
        if line.erasure_id in settled:
            continue
        if line.erasure_id not in replayed:
            replayed[line.erasure_id] = record(warehouse, _erasure(line), Step.ASKED)
        _insert(warehouse, line)
    for erasure in replayed.values():
        if erasure.kind is Kind.PROJECT:
            removal.remove_project(warehouse, erasure, lambda: True)
        else:
            removal.remove_items(warehouse, erasure, lambda: True)
    return len(replayed)


def is_list(path: Path) -> bool:
    """Whether the file can be read to its end."""
    try:
        return path.stat().st_size > 0 and all(True for _ in _listed(path))
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError):
        return False


def _listed(path: Path) -> Iterator[ListedErasure]:
    with gzip.open(path, "rb") as file:
        for text in file:
            yield msgspec.json.decode(text, type=ListedErasure)


def _lines(warehouse: Warehouse, erasure: Erasure, count: int) -> Iterator[ListedErasure]:
    listed = ListedErasure(
        erasure.project_id,
        erasure.erasure_id,
        erasure.kind,
        erasure.subject,
        erasure.asked_by,
        erasure.asked_at,
    )
    yield listed
    parts = count // ITEMS_AT_ONCE + 1
    for part in range(parts):
        asked = {
            "project_id": erasure.project_id,
            "erasure_id": erasure.erasure_id,
            "part": part,
            "part_count": parts,
        }
        rows = warehouse.rows(sql.query("items_of_erasure"), asked)
        for first in range(0, len(rows), ITEMS_OF_A_LINE):
            some = msgspec.structs.replace(listed, items=rows[first : first + ITEMS_OF_A_LINE])
            yield some


def _erasure(line: ListedErasure) -> Erasure:
    return Erasure(line.project_id, line.erasure_id, line.kind, line.subject, line.asked_by, line.asked_at)


def _insert(warehouse: Warehouse, line: ListedErasure) -> None:
    """Rows that are there already are recorded twice, which changes nothing."""
    known = {"project_id": line.project_id, "erasure_id": line.erasure_id}
    warehouse.insert_rows(ITEMS, ({**known, **item} for item in line.items))
