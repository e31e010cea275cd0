"""Blocks of rows, column by column."""

import gc
import weakref
from datetime import UTC, date, datetime

import pytest
from clickhouse_connect.datatypes.registry import get_from_name

from errata.warehouse.native import UnreadableRows, blocks
from tests.cases import each

TYPES = {"id": get_from_name("UInt32"), "text": get_from_name("String")}


class Text(str):
    """One that a weak reference can be made to."""


def test_rows_are_free_once_they_are_written() -> None:
    """Else megabytes wait for the next search for cycles."""
    gc.collect()
    gc.disable()
    try:
        text = Text("x" * 100)
        written = list(blocks(TYPES, [{"id": 1, "text": text}]))
        kept = weakref.ref(text)
        del text
        assert kept() is None
    finally:
        gc.enable()
    first = b"\x02id\x06UInt32" + b"\x01\0\0\0"
    second = b"\x04text\x06String" + b"\x64" + b"x" * 100
    ((names, block),) = written
    assert names == ("id", "text") and bytes(block) == b"\x02\x01" + first + second


def test_each_set_of_columns_is_a_block_of_its_own() -> None:
    rows: list[dict[str, object]] = [{"id": 1}, {"text": "a"}, {"id": 2}]
    assert [(names, block[1]) for names, block in blocks(TYPES, rows)] == [(("id",), 2), (("text",), 1)]


@each(
    ("type_name", "text", "value"),
    [
        ("Date", "2026-11-29", date(2026, 11, 29)),
        ("DateTime('UTC')", "2026-11-29 10:00:00", datetime(2026, 11, 29, 10, tzinfo=UTC)),
        ("DateTime64(3, 'UTC')", "2026-11-29 10:00:00.125", datetime(2026, 11, 29, 10, 0, 0, 125_000, UTC)),
    ],
)
def test_days_and_moments_may_be_texts(type_name: str, text: str, value: date) -> None:
    types = {"at": get_from_name(type_name)}
    assert list(blocks(types, [{"at": text}])) == list(blocks(types, [{"at": value}]))


def test_a_value_of_another_type_is_told() -> None:
    with pytest.raises(UnreadableRows, match="one"):
        list(blocks(TYPES, [{"id": "one"}]))
