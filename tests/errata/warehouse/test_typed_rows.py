"""Rows of the warehouse become dataclasses by the types of their fields."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import pytest

from errata.nil import NIL
from errata.warehouse.typed_rows import typed

MOMENT = datetime.fromisoformat("2026-11-21 10:30:00")
ID = UUID("0123456789abcdef0123456789abcdef")


class Color(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Known:
    at: datetime
    name: str
    is_first: bool
    color: Color
    parts: tuple[int, ...]
    listed: list[int]
    users: frozenset[int]
    tags: Mapping[str, str]
    detail: dict[str, Any]
    days: Sequence[int]


@dataclass(frozen=True)
class Unknown:
    at: datetime | None
    day: date | None
    size_ms: float | None
    trace_id: UUID | None
    count: int = 7


def test_a_field_has_the_column_of_its_name_in_its_own_type() -> None:
    row = {
        "at": MOMENT,
        "name": "checkout",
        "is_first": 1,
        "color": "red",
        "parts": [1, 2],
        "listed": (1, 2),
        "users": [3, 3],
        "tags": {"a": "b"},
        "detail": '{"in": "now"}',
        "days": [4],
        "beside": "no field",
    }
    found = typed(Known, row)
    assert found == Known(
        MOMENT.replace(tzinfo=UTC),
        "checkout",
        True,
        Color.RED,
        (1, 2),
        [1, 2],
        frozenset({3}),
        {"a": "b"},
        {"in": "now"},
        [4],
    )
    assert found.is_first is True and found.color is Color.RED
    assert typed(Known, {**row, "detail": ""}).detail == {}


def test_an_id_is_told_in_hexadecimal_digits() -> None:
    @dataclass(frozen=True)
    class Load:
        view_id: str
        trace_id: str

    assert typed(Load, {"view_id": 255, "trace_id": ID}) == Load("00000000000000ff", ID.hex)
    assert typed(Load, {"view_id": 255, "trace_id": NIL}).trace_id == ""


def test_nothing_is_none_where_a_field_may_be() -> None:
    nothing = {
        "at": datetime.fromisoformat("1970-01-01"),
        "day": date(1970, 1, 1),
        "size_ms": math.nan,
        "trace_id": NIL,
    }
    assert typed(Unknown, nothing) == Unknown(None, None, None, None)
    some = {"at": MOMENT, "day": MOMENT.date(), "size_ms": 0.0, "trace_id": ID}
    assert typed(Unknown, some) == Unknown(MOMENT.replace(tzinfo=UTC), MOMENT.date(), 0.0, ID)


def test_what_is_given_stands_before_columns_and_defaults() -> None:
    row = {"at": MOMENT, "day": MOMENT.date(), "size_ms": 1.0, "trace_id": ID, "count": 3}
    assert typed(Unknown, row).count == 3
    assert typed(Unknown, row, count=9, at=None) == Unknown(None, MOMENT.date(), 1.0, ID, 9)
    with pytest.raises(TypeError):
        typed(Unknown, {"at": MOMENT})
