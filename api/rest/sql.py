"""SQL of programs, over the views for analysts: the rows of the token's project, in forms that tools read."""

from collections.abc import Iterator
from itertools import chain

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import StreamingResponse

from api.authentication import DECLARED, SqlDependency
from api.context import ContextDependency
from api.problems import responses
from errata.warehouse.project_sql import Format

router = APIRouter(tags=["sql"])

LONGEST = 20_000
BINARY = {"type": "string", "format": "binary"}


class Sql(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sql: str = Field(
        min_length=1,
        max_length=LONGEST,
        description="One statement in ClickHouse's SQL, without a `format` of its own.",
    )
    format: Format = Field(
        Format.ARROW,
        description="`arrow`: an Arrow stream; `parquet`; `json`: one object per line.",
    )


@router.post(
    "/api/sql",
    operation_id="run_sql",
    summary="Run SQL",
    dependencies=DECLARED,
    response_class=StreamingResponse,
    responses={
        **responses("invalid_api_key", "forbidden", "sql_refused", "sql_not_set_up", "warehouse_unavailable"),
        200: {
            "description": "The result, streamed. It is truncated if the query fails while running.",
            "content": {
                form.media_type: {"schema": {"type": "string", "format": "binary"}} for form in Format
            },
        },
    },
)
def run_sql(asked: Sql, asking: SqlDependency, context: ContextDependency) -> StreamingResponse:
    """Reads the [views for analysts](/docs/analysts), with the limits of the analyst user and only the rows
    of the token's project. A token runs one query at a time per web process."""
    pieces = context.project_sql.run(asking.actor, asking.project_id, asked.sql, asked.format)
    # Until the first piece is there, a statement that fails is answered with its error.
    return StreamingResponse(_begun(pieces), media_type=asked.format.media_type)


def _begun(pieces: Iterator[bytes]) -> Iterator[bytes]:
    return chain([next(pieces, b"")], pieces)
