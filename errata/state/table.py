"""The base of the state store's tables.

A class of `Table` describes a table as the newest migration leaves it, and its objects are rows: a field of
`Mapped` is a column; any other is joined or counted by a query, under its name. Statements are written with
these classes and run on a connection, without a session: nothing is loaded or stored behind a caller's back.
"""

import enum
import json
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, ClassVar, TypeVar, dataclass_transform

from sqlalchemy import DateTime, Dialect, Double, Enum, Index, MetaData, Result, Text, TypeDecorator, text
from sqlalchemy.orm import DeclarativeBase, MappedAsDataclass, mapped_column

Kind = TypeVar("Kind")


class Moment(TypeDecorator[datetime]):
    """A moment in UTC: SQLite keeps no zone, and PostgreSQL returns the session's."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """A mapping or list, kept as JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        return json.dumps(value, default=dict)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return json.loads(value)


class JsonTuple(Json):
    """A tuple, kept as a JSON list."""

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return tuple(json.loads(value))


def word(kind: type[enum.Enum], length: int = 16) -> Enum:
    """The type of a column for members of an enumeration, kept as their values."""
    return Enum(kind, native_enum=False, length=length, values_callable=lambda of: [one.value for one in of])


@dataclass_transform(kw_only_default=True, field_specifiers=(mapped_column,))
class Table(MappedAsDataclass, DeclarativeBase, kw_only=True):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar = {datetime: Moment, str: Text, float: Double, enum.Enum: word(enum.Enum)}


def unique_where(condition: str, name: str, *columns: str) -> Index:
    """An index of rows for which the condition holds: they differ in these columns."""
    return Index(name, *columns, unique=True, sqlite_where=text(condition), postgresql_where=text(condition))


def objects(kind: type[Kind], rows: Result[Any]) -> list[Kind]:
    """Each row as an object, whose fields are the columns of their names."""
    names = tuple(rows.keys())
    return [kind(**dict(zip(names, row, strict=True))) for row in rows]


def every_table() -> MetaData:
    """All tables: the store loads the file of each noun."""
    import_module("errata.state.store")
    return Table.metadata
