"""The tool `act_on_issue`."""

from typing import Annotated, Literal

from pydantic import Field

from api.mcp.answer import Answer
from api.mcp.arguments import IssueId
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def act_on_issue(
    rest: Rest,
    issue_id: IssueId,
    action: Literal["resolve", "unresolve", "ignore", "assign", "unassign", "prioritize", "comment"],
    text: Annotated[str, Field(max_length=10_000)] = "",
    assignee: Annotated[str, Field(max_length=320)] = "",
    priority: Literal["", "high", "medium", "low"] = "",
) -> Answer:
    """Decides about an issue, as a person would on its page: it is undone there, too. `text` is the comment,
    in Markdown; `assignee` the email address of a member."""
    given = {"text": text, "assignee": assignee, "priority": priority}
    body = {
        "ids": [issue_id],
        "action": action,
        "detail": {name: value for name, value in given.items() if value},
    }
    return Answer(await rest.ask("act_on_issues", body))


TOOL = Tool(act_on_issue, "Act on an issue", ("act_on_issues",), is_read_only=False, is_idempotent=False)
