"""Table rows as a CSV download that a spreadsheet shows as they are."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi.responses import Response

# A cell that begins with one of these would be run as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
# For `responses=` of a route that answers with either.
CSV_TOO: Mapping[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "As JSON or as CSV"}
}


def csv_answer(name: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Response:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row[column]) for column in columns])
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
