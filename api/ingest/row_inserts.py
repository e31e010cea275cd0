"""Rows on their way into the warehouse."""

from collections.abc import Generator, Iterable
from functools import partial
from typing import Any
from uuid import uuid4

import msgspec

from errata.deflated import Deflated
from errata.warehouse.client import Warehouse

Row = dict[str, Any]

# Inflated, of what one insert holds in the memory of the warehouse; a single row may be larger.
INFLATED_MAX = 32 << 20

_encode = msgspec.json.Encoder().encode


def store(warehouse: Warehouse, table: str, rows: Iterable[Row]) -> None:
    """Inserts the rows. Those with a deflated value are inflated only while they are sent."""
    plain, large, size = list[Row](), list[Row](), 0
    for row in rows:
        inflated = _inflated_bytes(row)
        if not inflated:
            plain.append(row)
            continue
        if large and size + inflated > INFLATED_MAX:
            _store_in_pieces(warehouse, table, large)
            large, size = [], 0
        large.append(row)
        size += inflated
    warehouse.insert_rows(table, plain)
    if large:
        _store_in_pieces(warehouse, table, large)


def _store_in_pieces(warehouse: Warehouse, table: str, rows: list[Row]) -> None:
    for shard, projects in warehouse.by_shard({row["project_id"] for row in rows}, is_writing=True):
        own = [row for row in rows if row["project_id"] in projects]
        shard.insert_json_lines(table, partial(_in_pieces, own), token=uuid4().hex)


def _inflated_bytes(row: Row) -> int:
    return sum(value.inflated_bytes for value in row.values() if type(value) is Deflated)


def _in_pieces(rows: Iterable[Row]) -> Generator[bytes, None, None]:
    for row in rows:
        before = b"{"
        for name, value in row.items():
            yield before + _encode(name) + b":"
            if type(value) is Deflated:
                yield from value.json_chunks()
            else:
                yield _encode(value)
            before = b","
        yield b"}\n"
