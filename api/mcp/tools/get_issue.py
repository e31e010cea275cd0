"""The tool `get_issue`."""

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor, Environment, IssueId, Period
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def get_issue(
    rest: Rest,
    issue_id: IssueId,
    period: Period = "14d",
    environment: Environment = "",
    cursor: Cursor = "",
) -> Answer:
    """An issue: state, counts, history, tags of its latest events, and as items what people decided and
    said about it, latest first."""
    head = await rest.ask("issue", issue_id=issue_id, period=period, environment=environment)
    activity = await rest.ask("issue_activity", issue_id=issue_id)
    return Answer(head, activity["entries"], cursor)


TOOL = Tool(get_issue, "Get an issue", ("issue", "issue_activity"))
