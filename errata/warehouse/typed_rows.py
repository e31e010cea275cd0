"""Rows of the warehouse as dataclasses: a field is the column of its name, in Python's terms."""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date, datetime
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec

from errata.clock import EPOCH, utc
from errata.nil import NIL

Kind = TypeVar("Kind")
Reading = Callable[[Any], Any]


def typed(kind: type[Kind], row: Mapping[str, Any], **others: Any) -> Kind:
    """The row as an object. `others`: fields that no column holds, or not as they are; a field that neither
    they nor the row name has its default. Columns that are no field are left out."""
    # A type is hashable, whatever mypy says.
    plain, read = _columns(kind, tuple(row), tuple(others))  # type: ignore[arg-type]
    values = {name: row[name] for name in plain}
    for name, reading in read:
        values[name] = reading(row[name])
    return kind(**values, **others)


@cache
def _columns(
    kind: type[Any], columns: tuple[str, ...], others: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[tuple[str, Reading], ...]]:
    """The columns that are taken as they are, and those that are read."""
    types = get_type_hints(kind)
    names = {field.name for field in fields(kind)}.intersection(columns).difference(others)
    readings = {name: _reading(types[name]) for name in names}
    return (
        tuple(name for name, reading in readings.items() if reading is None),
        tuple((name, reading) for name, reading in readings.items() if reading is not None),
    )


def _reading(field_type: Any) -> Reading | None:
    """What a column's value becomes in a field of this type; None: it is taken as it is."""
    chosen = [one for one in get_args(field_type) if one is not NoneType]
    if NoneType in get_args(field_type):
        return OPTIONAL.get(chosen[0])
    kind = get_origin(field_type) or field_type
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return READINGS.get(kind)


def _text(value: str | int | UUID) -> str:
    """A text, or an id as people see it; nil: empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:016x}"
    return "" if value == NIL else value.hex


def _object(value: Any) -> dict[Any, Any]:
    """A map, or the object that a JSON text tells; an empty text tells of none."""
    if isinstance(value, str):
        return msgspec.json.decode(value, type=dict[Any, Any]) if value else {}
    return dict(value)


def _moment(value: datetime) -> datetime | None:
    return None if utc(value) == EPOCH else utc(value)


READINGS: Mapping[Any, Reading] = {
    bool: bool,
    datetime: utc,
    str: _text,
    tuple: tuple,
    list: list,
    frozenset: frozenset,
    dict: _object,
    Mapping: _object,
}
# Nothing is stored as nan, 1970 or the nil id.
OPTIONAL: Mapping[Any, Reading] = {
    float: lambda value: None if math.isnan(value) else value,
    datetime: _moment,
    date: lambda value: None if value == EPOCH.date() else value,
    UUID: lambda value: None if value == NIL else value,
}
