"""Rows as the warehouse reads them: a JSON object a line."""

from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from typing import Any

import msgspec

from errata.deflated import Deflated

Row = dict[str, Any]
Lines = bytes | Callable[[], Generator[bytes, None, None]]

# Inflated, of what one insert holds in the memory of the warehouse; a single row may be larger.
INFLATED_MAX = 32 << 20

_encode = msgspec.json.Encoder().encode
_encode_lines = msgspec.json.Encoder().encode_lines


def inserts(rows: Iterable[Row]) -> Iterator[Lines]:
    """The lines of each insert. Rows with a deflated value are inflated only while they are sent."""
    plain, large, size = list[Row](), list[Row](), 0
    for row in rows:
        inflated = _inflated_bytes(row)
        if not inflated:
            plain.append(row)
            continue
        if large and size + inflated > INFLATED_MAX:
            yield partial(_in_pieces, large)
            large, size = [], 0
        large.append(row)
        size += inflated
    if plain:
        yield _encode_lines(plain)
    if large:
        yield partial(_in_pieces, large)


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
