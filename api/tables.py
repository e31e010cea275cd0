"""Table rows as a download: CSV safe for spreadsheets, or Parquet with typed columns."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal, get_args, get_origin

from fastapi import Query
from fastapi.responses import Response
from pydantic import BaseModel

Format = Annotated[
    Literal["json", "csv", "parquet"],
    Query(description="Table format; Parquet has typed columns and times in UTC."),
]
PARQUET = "application/vnd.apache.parquet"
# A cell whose first visible character is one of these can be run as a formula or a command; `−` is U+2212.
FORMULA_STARTS = frozenset("=+-−@|%")
# Before it, spreadsheets skip what is not seen: spaces, and characters that set or mark nothing.
UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Me", "Mn", "Zl", "Zp", "Zs"})
UNSEEN_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
NEGATIVE_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
CSV_TEXT = {"text/csv": {"schema": {"type": "string"}}}
# For `responses=` of a route with both formats.
CSV_TOO: Mapping[int | str, dict[str, Any]] = {200: {"content": CSV_TEXT, "description": "As JSON or as CSV"}}
FILES_TOO: Mapping[int | str, dict[str, Any]] = {
    200: {
        "content": CSV_TEXT | {PARQUET: {"schema": {"type": "string", "format": "binary"}}},
        "description": "As JSON, CSV or Parquet",
    }
}
Texts = Mapping[str, Callable[[Any], str]]


def json_answer(table: BaseModel) -> Response:
    """The response for thousands of rows; checking them against their model again would take longer than the
    query."""
    return Response(table.model_dump_json(), media_type="application/json")


def table_file(
    form: Literal["csv", "parquet"],
    name: str,
    model: type[BaseModel],
    rows: Sequence[BaseModel],
    columns: Sequence[str] = (),
    texts: Texts | None = None,
) -> Response:
    """A download. `columns`: names and order other than the model's; additional ones hold numbers. `texts`:
    the text of a list in one cell."""
    shown, texts = columns or list(model.model_fields), texts or {}
    if form == "csv":
        told = [row.model_dump(mode="json") for row in rows]
        for row, found in zip(told, rows, strict=True):
            row.update({column: write(getattr(found, column)) for column, write in texts.items()})
        return csv_answer(name, shown, told)
    headers = {"Content-Disposition": f'attachment; filename="{name}.parquet"'}
    return Response(_parquet(model, rows, shown, texts), media_type=PARQUET, headers=headers)


def csv_answer(name: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Response:
    text = csv_text(columns, [[row[column] for column in columns] for row in rows])
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The lines of a CSV file, safe for spreadsheets; without columns, of its middle."""
    text = io.StringIO()
    writer = csv.writer(text)
    if columns:
        writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and _can_run(value) else value


def _can_run(text: str) -> bool:
    if text.startswith(("\t", "\r")):
        return True
    for character in text:
        if character.isascii() and character.isalnum():
            return False
        # Programs that read the file may take a wide or small form for the character itself.
        for seen in unicodedata.normalize("NFKC", character):
            if seen not in UNSEEN_LETTERS and unicodedata.category(seen) not in UNSEEN_CATEGORIES:
                return seen in FORMULA_STARTS and not NEGATIVE_NUMBER.fullmatch(text)
    return False


def _parquet(
    model: type[BaseModel], rows: Sequence[BaseModel], columns: Sequence[str], texts: Texts
) -> bytes:
    # 50 MB, only for processes that write Parquet.
    import polars as pl

    kinds = {
        bool: pl.Boolean(),
        int: pl.Int64(),
        float: pl.Float64(),
        datetime: pl.Datetime("us", "UTC"),
        date: pl.Date(),
    }
    series = []
    for column in columns:
        field = model.model_fields.get(column)
        kind = kinds.get(_held(field.annotation) if field is not None else float, pl.String())
        values = [getattr(row, column) for row in rows]
        if kind == pl.String:
            write = texts.get(column, _text)
            values = [None if value is None else write(value) for value in values]
        series.append(pl.Series(column, values, kind))
    file = io.BytesIO()
    pl.DataFrame(series).write_parquet(file)
    return file.getvalue()


def _held(annotation: Any) -> Any:
    """The type of a field's values, without None."""
    if get_origin(annotation) is Annotated:
        return _held(get_args(annotation)[0])
    choices = [choice for choice in get_args(annotation) if choice is not type(None)]
    if type(None) in get_args(annotation) and len(choices) == 1:
        return _held(choices[0])
    return annotation


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str) else json.dumps(value)
