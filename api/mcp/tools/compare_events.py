"""The tool `compare_events`."""

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor, EventId, IssueId
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def compare_events(
    rest: Rest,
    issue_id: IssueId,
    left: EventId,
    right: EventId,
    cursor: Cursor = "",
) -> Answer:
    """How two events of an issue differ: a row for each value that is not the same in both."""
    found = await rest.ask(
        "compare_events",
        issue_id=issue_id,
        left=left,
        right=right,
        differences_only="true",
    )
    sections = found.pop("sections")
    return Answer(found, sections, cursor)


TOOL = Tool(compare_events, "Compare two events", ("compare_events",))
