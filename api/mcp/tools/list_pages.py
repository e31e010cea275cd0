"""The tool `list_pages`."""

from typing import Annotated

from pydantic import Field

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor, Environment, Period
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def list_pages(
    rest: Rest,
    period: Period = "14d",
    environment: Environment = "",
    release: Annotated[str, Field(max_length=250, description="Only this one; empty: all.")] = "",
    cursor: Cursor = "",
) -> Answer:
    """How fast pages are for real users: quantiles and web vitals by page, the busiest first."""
    found = await rest.ask(
        "performance_pages",
        period=period,
        environment=environment,
        release=release,
    )
    pages = found.pop("pages")
    return Answer(found, pages, cursor)


TOOL = Tool(list_pages, "List pages", ("performance_pages",))
