"""The tool `get_differences`."""

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor, Environment, IssueId, Period
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def get_differences(
    rest: Rest,
    issue_id: IssueId,
    period: Period = "14d",
    environment: Environment = "",
    cursor: Cursor = "",
) -> Answer:
    """What the users of an issue have in common that others have not: values of tags, with how much more
    frequent they are, its interval, and how many users were compared."""
    found = await rest.ask("issue_differences", issue_id=issue_id, period=period, environment=environment)
    differences = found.pop("differences", [])
    return Answer(found, differences, cursor)


TOOL = Tool(get_differences, "What is different about an issue", ("issue_differences",))
