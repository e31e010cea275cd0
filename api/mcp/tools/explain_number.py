"""The tool `explain_number`."""

from typing import Annotated

from pydantic import Field

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def explain_number(
    rest: Rest,
    question: Annotated[str, Field(pattern="^[a-z_]{1,60}$")],
    cursor: Cursor = "",
) -> Answer:
    """How a number of the other tools is computed: its definition, the SQL that runs, the tables it reads and
    how old they are. `question` names it: issues_listed for counts of issues, issues_shown for their users,
    differences_of_issue, releases_judged, effects_of_releases (verdicts), page_metrics, endpoint_metrics."""
    found = await rest.ask("provenance", question=question)
    sources = found.pop("sources")
    return Answer(found, sources, cursor)


TOOL = Tool(explain_number, "Explain a number as SQL", ("provenance",))
