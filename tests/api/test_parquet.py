"""Parquet as others read it."""

import io
from datetime import UTC, date, datetime

import polars as pl
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from pydantic import BaseModel

from api.parameters import Moment
from api.parquet import Column, Kind, parquet
from api.tables import table_file

TYPES = {
    Kind.BOOLEAN: (pl.Boolean(), some.booleans()),
    Kind.INTEGER: (pl.Int64(), some.integers(-(1 << 63), (1 << 63) - 1)),
    Kind.NUMBER: (pl.Float64(), some.floats(allow_nan=False)),
    Kind.TEXT: (pl.String(), some.text(some.characters(exclude_categories=["Cs"]))),
    Kind.DAY: (pl.Date(), some.dates(date(1600, 1, 1))),
    Kind.MOMENT: (
        pl.Datetime("us", "UTC"),
        some.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1), timezones=some.just(UTC)),  # noqa: DTZ001
    ),
}
ROWS = some.integers(0, 40).flatmap(
    lambda count: some.fixed_dictionaries(
        {
            kind: some.lists(some.none() | values, min_size=count, max_size=count)
            for kind, (_, values) in TYPES.items()
        }
    )
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS)
def test_whatever_is_written_is_read_by_polars_and_by_arrow(rows: dict[Kind, list[object]]) -> None:
    written = parquet([Column(kind.name, kind, values) for kind, values in rows.items()])
    frame = pl.read_parquet(io.BytesIO(written))
    assert dict(frame.schema) == {kind.name: type_ for kind, (type_, _) in TYPES.items()}
    assert frame.to_dict(as_series=False) == {kind.name: values for kind, values in rows.items()}
    table = pyarrow.parquet.read_table(io.BytesIO(written))
    assert table.to_pydict() == frame.to_dict(as_series=False)


@pytest.mark.parametrize("column_count", [1, 14, 15, 40])
def test_any_number_of_columns_and_many_rows_are_read(column_count: int) -> None:
    values = [None if number % 7 == 0 else number for number in range(5000)]
    columns = [Column(f"column_{number}", Kind.INTEGER, values) for number in range(column_count)]
    written = parquet(columns)
    assert written == parquet(columns)
    frame = pl.read_parquet(io.BytesIO(written))
    assert frame.width == column_count
    assert all(series.to_list() == values for series in frame)


class Row(BaseModel):
    name: str
    seen_at: Moment | None
    ratio: float | None
    is_new: bool
    ids: list[int]


def test_columns_have_the_types_of_their_fields_and_lists_are_text() -> None:
    moment = datetime(2026, 11, 16, 9, tzinfo=UTC)
    rows = [
        Row(name="a", seen_at=moment, ratio=0.5, is_new=True, ids=[1, 2]),
        Row(name="b", seen_at=None, ratio=None, is_new=False, ids=[]),
    ]
    body = table_file("parquet", "rows", Row, rows).body
    assert pl.read_parquet(io.BytesIO(bytes(body))).to_dict(as_series=False) == {
        "name": ["a", "b"],
        "seen_at": [moment, None],
        "ratio": [0.5, None],
        "is_new": [True, False],
        "ids": ["[1, 2]", "[]"],
    }
    spoken = table_file("csv", "rows", Row, rows, texts={"ids": lambda ids: "-".join(map(str, ids))}).body
    assert bytes(spoken).decode().splitlines()[1] == "a,2026-11-16T09:00:00Z,0.5,True,1-2"
