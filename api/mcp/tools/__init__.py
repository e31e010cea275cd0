"""The tools, one a file: what an agent asks most, of the project of its token."""

from api.mcp.tool import Tool
from api.mcp.tools import (
    act_on_issue,
    compare_events,
    explain_number,
    get_differences,
    get_event,
    get_issue,
    get_release_verdict,
    list_budgets,
    list_pages,
    list_releases,
    run_sql,
    search_issues,
)

TOOLS: tuple[Tool, ...] = (
    search_issues.TOOL,
    get_issue.TOOL,
    get_event.TOOL,
    compare_events.TOOL,
    get_differences.TOOL,
    list_releases.TOOL,
    get_release_verdict.TOOL,
    list_pages.TOOL,
    list_budgets.TOOL,
    explain_number.TOOL,
    run_sql.TOOL,
    act_on_issue.TOOL,
)
