"""Suspect commits of an issue, fetched once its page is shown: they cost a few queries of their own."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.context import ContextDependency
from api.regrouping import grouping_in_force
from dashboards.issue.found import IssueId, found_head
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.rendering import render
from errata.suspects import SuspectCommits, suspect_commits
from errata.suspects.matching import Unknown

router = APIRouter()

NO_RELEASE = "Don't know: events of this issue name no release."
REASONS: Mapping[Unknown, str] = {
    Unknown.NO_COMMITS: "Don't know: no commits were sent for this release.",
    Unknown.NO_STACK: "Don't know: the latest event has no file of the application in its stack.",
    Unknown.NO_MATCH: "Don't know: no commit of this release changed a file of the stack.",
    Unknown.AMBIGUOUS: "Don't know: files of the stack match several files of the repository.",
}


@router.get("/projects/{slug}/issues/{issue_id}/suspect-commits")
def suspects(
    slug: str,
    issue_id: IssueId,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = user.project(slug)
    head = found_head(warehouse, project.id, int(issue_id, 16))
    if head.merged_into:
        address = f"/projects/{project.slug}/issues/{head.id}/suspect-commits"
        return RedirectResponse(address, status_code=303)
    rules = grouping_in_force(context.state, project.id).rules
    found = suspect_commits(warehouse, project.id, head, rules)
    page = user.framed(request, "Suspect commits", "issues", project)
    body = render("issue/suspects.html", page, found=found, reason=_reason(found))
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})


def _reason(found: SuspectCommits) -> str:
    if found.unknown_because is None:
        return ""
    return REASONS[found.unknown_because] if found.release else NO_RELEASE
