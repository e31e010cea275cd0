"""A Parquet file of one table, written here: Arrow's writer would cost the web process 110 MB.

One row group, a gzipped page a column, every column optional. https://parquet.apache.org/docs/file-format/
"""

import gzip
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum
from typing import Any

from api.thrift import Compact, Value, boolean, empty, i32, i64, records, struct_of, text, texts
from errata.clock import EPOCH

MAGIC = b"PAR1"
OPTIONAL, PLAIN, RLE, GZIP, DATA_PAGE = 1, 0, 3, 2, 0


class Kind(Enum):
    """Parquet's physical type, its converted type of old readers, and the logical one."""

    BOOLEAN = (0, None, None)
    INTEGER = (2, None, None)
    NUMBER = (5, None, None)
    TEXT = (6, 0, {1: empty()})
    DAY = (1, 6, {6: empty()})
    # Microseconds, in UTC.
    MOMENT = (2, 10, {8: struct_of({1: boolean(True), 2: struct_of({2: empty()})})})


@dataclass(frozen=True)
class Column:
    name: str
    kind: Kind
    values: Sequence[Any]
    """None: empty."""


def parquet(columns: Sequence[Column]) -> bytes:
    """The same rows give the same bytes."""
    row_count = len(columns[0].values)
    body, chunks, total = bytearray(MAGIC), list[Value](), 0
    for column in columns:
        page = _levels(column.values) + _plain(column.kind, [one for one in column.values if one is not None])
        packed = gzip.compress(page, mtime=0)
        header = Compact.encoded(
            {
                1: i32(DATA_PAGE),
                2: i32(len(page)),
                3: i32(len(packed)),
                5: struct_of({1: i32(row_count), 2: i32(PLAIN), 3: i32(RLE), 4: i32(RLE)}),
            }
        )
        offset = len(body)
        body += header + packed
        total += len(header) + len(page)
        chunks.append(_chunk(column, row_count, offset, len(header) + len(page), len(header) + len(packed)))
    footer = Compact.encoded(
        {
            1: i32(1),
            2: records([struct_of({4: text("table"), 5: i32(len(columns))}), *map(_element, columns)]),
            3: i64(row_count),
            4: records([struct_of({1: records(chunks), 2: i64(total), 3: i64(row_count)})]),
            6: text("errata"),
        }
    )
    return bytes(body) + footer + struct.pack("<I", len(footer)) + MAGIC


def _element(column: Column) -> Value:
    physical, converted, logical = column.kind.value
    fields = {1: i32(physical), 3: i32(OPTIONAL), 4: text(column.name)}
    if converted is not None and logical is not None:
        fields |= {6: i32(converted), 10: struct_of(logical)}
    return struct_of(fields)


def _chunk(column: Column, row_count: int, offset: int, plain_bytes: int, packed_bytes: int) -> Value:
    told = {
        1: i32(column.kind.value[0]),
        2: records([i32(PLAIN), i32(RLE)]),
        3: texts([column.name]),
        4: i32(GZIP),
        5: i64(row_count),
        6: i64(plain_bytes),
        7: i64(packed_bytes),
        9: i64(offset),
    }
    return struct_of({2: i64(offset), 3: struct_of(told)})


def _levels(values: Sequence[Any]) -> bytes:
    """Which rows have a value: one run of bits, after its length."""
    run = Compact.varint(-(-len(values) // 8) << 1 | 1) + _bits(value is not None for value in values)
    return struct.pack("<I", len(run)) + run


def _plain(kind: Kind, values: Sequence[Any]) -> bytes:
    match kind:
        case Kind.BOOLEAN:
            return _bits(values)
        case Kind.INTEGER:
            return struct.pack(f"<{len(values)}q", *values)
        case Kind.NUMBER:
            return struct.pack(f"<{len(values)}d", *values)
        case Kind.DAY:
            return struct.pack(f"<{len(values)}i", *((day - date(1970, 1, 1)).days for day in values))
        case Kind.MOMENT:
            return struct.pack(
                f"<{len(values)}q", *((one - EPOCH) // timedelta(microseconds=1) for one in values)
            )
        case Kind.TEXT:
            encoded = (value.encode() for value in values)
            return b"".join(struct.pack("<I", len(one)) + one for one in encoded)


def _bits(values: Iterable[bool]) -> bytes:
    """Eight to a byte, the first in its lowest bit."""
    listed = list(values)
    packed = bytearray(-(-len(listed) // 8))
    for number, value in enumerate(listed):
        packed[number // 8] |= bool(value) << number % 8
    return bytes(packed)
