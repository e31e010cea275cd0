"""Statements that somebody else wrote: they read the views for analysts, and of one project alone."""

from collections.abc import Iterator
from enum import StrEnum

from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.row_policies import query_id_of

# As the engine counts its own: statements that run, results, memory and time.
TOO_MANY_STATEMENTS = 202


class Format(StrEnum):
    """Result formats. CSV isn't offered, because spreadsheets may execute its cells."""

    engine_name: str
    media_type: str

    def __new__(cls, value: str, engine_name: str = "", media_type: str = "") -> "Format":
        member = str.__new__(cls, value)
        member._value_ = value
        member.engine_name, member.media_type = engine_name, media_type
        return member

    ARROW = "arrow", "ArrowStream", "application/vnd.apache.arrow.stream"
    PARQUET = "parquet", "Parquet", "application/vnd.apache.parquet"
    JSON = "json", "JSONEachRow", "application/x-ndjson"


def result_of(warehouse: Warehouse, project_id: int, text: str, form: Format) -> Iterator[bytes]:
    """The result in pieces; `warehouse` connects as the user for analysts, whose rights end the rest. The
    statement has begun when this returns. Raises QueryFailed, also while the result is read."""
    of_project = warehouse.of([project_id])
    return of_project.stream(text.rstrip("; \n\t"), form.engine_name, {"query_id": query_id_of(project_id)})


def is_too_many(error: QueryFailed) -> bool:
    return error.clickhouse_code == TOO_MANY_STATEMENTS
