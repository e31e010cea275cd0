"""The tool `search_issues`."""

from typing import Annotated, Literal

from pydantic import Field

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor, Environment, Period
from api.mcp.rest import Rest
from api.mcp.tool import Tool

# As many as an answer has room for: mostly the first.
LIMITS = (12, 6, 3, 1)


async def search_issues(
    rest: Rest,
    query: Annotated[str, Field(max_length=2000)] = "",
    status: Literal["", "unresolved", "resolved", "regressed", "ignored"] = "",
    environment: Environment = "",
    release: Annotated[str, Field(max_length=250, description="Only this one; empty: all.")] = "",
    period: Period = "14d",
    sort: Literal["last_seen", "first_seen", "events", "users"] = "last_seen",
    cursor: Cursor = "",
) -> Answer:
    """Issues with events in a period, as a search finds them. `query` holds words and terms such as
    `level:error release:2.* browser:Safari !plan:free`."""
    for limit in LIMITS:
        found = await rest.ask(
            "issues",
            query=query,
            status=status,
            environment=environment,
            release=release,
            period=period,
            sort=sort,
            limit=limit,
            cursor=cursor,
        )
        answer = Answer(items=found["issues"], next_cursor=found["next_cursor"])
        if answer.is_whole():
            break
    return answer


TOOL = Tool(search_issues, "Search issues", ("issues",))
