"""The tool `list_releases`."""

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor, Environment, Period
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def list_releases(
    rest: Rest,
    period: Period = "90d",
    environment: Environment = "",
    cursor: Cursor = "",
) -> Answer:
    """Releases of one environment, latest first, each with its effect on speed and errors, how sure that is,
    and its counts of new and regressed issues."""
    found = await rest.ask(
        "performance_releases",
        period=period,
        environment=environment,
    )
    releases = found.pop("releases")
    return Answer(found, releases, cursor)


TOOL = Tool(list_releases, "List releases", ("performance_releases",))
