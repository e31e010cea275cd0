"""Rows as blocks of ClickHouse's Native format: column by column, so that no text is escaped or parsed.

The format is described at https://clickhouse.com/docs/interfaces/formats/Native; the driver writes columns.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from clickhouse_connect.datatypes.base import ClickHouseType
from clickhouse_connect.driver.common import write_leb128
from clickhouse_connect.driver.insert import InsertContext

Row = Mapping[str, Any]
Types = Mapping[str, ClickHouseType]
"""Of the columns of a table, by name."""

OF_TEXT: Mapping[str | None, Callable[[str], date]] = {
    "Date": date.fromisoformat,
    "DateTime": datetime.fromisoformat,
}
"""The driver itself reads ISO 8601 in columns of DateTime64, and not in these."""


class UnreadableRows(Exception):
    """A value is none of its column's type."""


def blocks(types: Types, rows: Iterable[Row]) -> Iterator[tuple[tuple[str, ...], bytearray]]:
    """Columns and a block for each set of columns that rows name: what a row does not name is the column's
    default. Raises UnreadableRows."""
    by_columns: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        by_columns.setdefault(tuple(row), []).append(row)
    for names, alike in by_columns.items():
        yield names, _block(types, names, alike)


def _block(types: Types, names: Sequence[str], rows: Sequence[Row]) -> bytearray:
    block = bytearray()
    write_leb128(len(names), block)
    write_leb128(len(rows), block)
    try:
        # Without rows: a context that holds them is garbage that only a search for cycles finds.
        context = InsertContext("", names, [types[name] for name in names])
        for name in names:
            for text in (name, types[name].insert_name):
                write_leb128(len(text), block)
                block += text.encode()
            values = [row[name] for row in rows]
            if read := OF_TEXT.get(types[name].base_type):
                values = [read(value) if isinstance(value, str) else value for value in values]
            types[name].write_column(values, block, context)
    except Exception as error:
        # The driver raises whatever a value of another type leads to.
        raise UnreadableRows(f"{error!r}") from error
    return block
