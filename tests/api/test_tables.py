"""Tables as files, as others read them."""

import csv
import io
import re
import subprocess
import sys
import unicodedata
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from pydantic import BaseModel

from api.parameters import Moment
from api.tables import csv_text, table_file
from tests.cases import each

MOMENTS = some.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1), timezones=some.just(UTC))  # noqa: DTZ001


class Row(BaseModel):
    name: str
    seen_at: Moment | None
    ratio: float | None
    is_new: bool
    ids: list[int]


class Values(BaseModel):
    is_new: bool | None
    count: int | None
    ratio: float | None
    name: str | None
    day: date | None
    seen_at: datetime | None


TYPES = {
    "is_new": pl.Boolean(),
    "count": pl.Int64(),
    "ratio": pl.Float64(),
    "name": pl.String(),
    "day": pl.Date(),
    "seen_at": pl.Datetime("us", "UTC"),
}
ROWS = some.lists(
    some.builds(
        Values,
        is_new=some.none() | some.booleans(),
        count=some.none() | some.integers(-(1 << 63), (1 << 63) - 1),
        ratio=some.none() | some.floats(allow_nan=False),
        name=some.none() | some.text(some.characters(exclude_categories=["Cs"])),
        day=some.none() | some.dates(date(1600, 1, 1)),
        seen_at=some.none() | MOMENTS,
    ),
    max_size=40,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS)
def test_whatever_is_written_is_read_by_polars_and_by_arrow(rows: list[Values]) -> None:
    written = bytes(table_file("parquet", "values", Values, rows).body)
    assert written == bytes(table_file("parquet", "values", Values, rows).body)
    frame = pl.read_parquet(io.BytesIO(written))
    assert dict(frame.schema) == TYPES
    assert frame.to_dicts() == [row.model_dump() for row in rows]
    assert pyarrow.parquet.read_table(io.BytesIO(written)).to_pylist() == frame.to_dicts()


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


STARTS = [
    character
    for character in map(chr, range(0x110000))
    if unicodedata.normalize("NFKC", character)[:1] in set("=+-−@|%")
]
UNSEEN = [
    "",
    " ",
    "\n",
    "\x00",
    "\xa0",
    "\u200b",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\ufe0f",
    "\u3164",
    "\u2800",
    " \t\r",
]


def cell(value: object) -> str:
    """The cell as a program reads it from the file."""
    ((_, found),) = csv.reader(io.StringIO(csv_text([], [["before", value]]), newline=""))
    return found


@each("start", STARTS)
def test_a_cell_that_a_spreadsheet_can_run_is_text(start: str) -> None:
    for unseen in UNSEEN:
        text = f"{unseen}{start}cmd|' /C calc'!A0"
        assert cell(text) == f"'{text}"


@each("text", ["\tsum", "\rsum", "-1+1", "-1e5x", "+1", "-", "=", " -2", "-\u0661", "|cmd", "\uff1d1+1"])
def test_a_cell_that_begins_so_is_text(text: str) -> None:
    assert cell(text) == f"'{text}"


@each("value", ["-1", "-1.5", "-2e-7", -1, -0.25, "1-1", "a=b", "/cart?a=1", "(=1)", "", "é", "<b>"])
def test_numbers_and_other_texts_stay_as_they_are(value: object) -> None:
    assert cell(value) == str(value)


def test_one_function_alone_writes_csv() -> None:
    """Whatever else wrote a file of cells would run them."""
    root = Path(__file__).parents[2]
    files = (
        file for part in ("api", "dashboards", "errata", "pipelines") for file in (root / part).rglob("*.py")
    )
    texts = {file.relative_to(root).as_posix(): file.read_text() for file in files}
    writing = re.compile(r"csv\.(writer|DictWriter)|write_csv|import.* csv\b")
    assert {name for name, text in texts.items() if writing.search(text)} == {"api/tables.py"}
    sending = {name for name, text in texts.items() if "text/csv; " in text}
    assert sending == {"api/rest/activity.py", "api/tables.py"}


@pytest.mark.slow
def test_a_server_that_exports_nothing_does_not_load_polars() -> None:
    program = "import sys, api.app, dashboards.app; sys.exit('polars' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
