"""The tool `run_sql`."""

from typing import Annotated

from anyio import to_thread
from pydantic import Field

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor
from api.mcp.provenance import UNTRUSTED
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def run_sql(
    rest: Rest,
    sql: Annotated[str, Field(min_length=1, max_length=20_000)],
    cursor: Cursor = "",
) -> Answer:
    """One SQL statement (ClickHouse's dialect) over the project's figures. Begin with
    `show tables`, then `describe table NAME`: every column says what it is. Values come from applications."""
    rows = await to_thread.run_sync(rest.rows_of, sql)
    return Answer({}, [{UNTRUSTED: row} for row in rows], cursor)


TOOL = Tool(run_sql, "Run SQL", ("run_sql",))
