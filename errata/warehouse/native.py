"""Rows as blocks of ClickHouse's Native format: column by column, so that no text is escaped or parsed.

The format is described at https://clickhouse.com/docs/interfaces/formats/Native; the driver writes it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from clickhouse_connect.datatypes.base import ClickHouseType
from clickhouse_connect.driver.insert import InsertContext
from clickhouse_connect.driver.transform import NativeTransform

Row = Mapping[str, Any]
Types = Mapping[str, ClickHouseType]
"""Of the columns of a table, by name."""


class UnreadableRows(Exception):
    """A value is none of its column's type."""


def statements(table: str, types: Types, rows: Iterable[Row]) -> Iterator[bytes | bytearray]:
    """An INSERT for each set of columns, with its rows: what a row does not name is the column's default.
    Raises UnreadableRows."""
    by_columns: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        by_columns.setdefault(tuple(row), []).append(row)
    for names, alike in by_columns.items():
        yield _statement(table, types, names, alike)


def _statement(table: str, types: Types, names: Sequence[str], rows: Sequence[Row]) -> bytes | bytearray:
    try:
        context = InsertContext(
            table,
            names,
            [types[name] for name in names],
            [[row[name] for row in rows] for name in names],
            column_oriented=True,
            block_size=len(rows),
        )
        # Of one block, which is not copied.
        (statement,) = NativeTransform.build_insert(context, _raised)
    except Exception as error:
        # The driver raises whatever a value of another type leads to.
        raise UnreadableRows(f"{table}: {error!r}") from error
    return statement


def _raised(error: Exception) -> None:
    raise error
