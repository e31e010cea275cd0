"""The page that the links of an alert lead to: it asks before an issue is resolved or ignored.

Mail programs and scanners follow links by themselves, so looking at it decides nothing.
"""

from typing import Literal

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.authentication import require_csrf
from api.context import ContextDependency
from api.workflow import Workflow
from dashboards.issue.found import IssueId, found_head
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.form import FormDependency
from dashboards.shared.issue import issue
from dashboards.shared.rendering import render
from errata.workflow.vocabulary import Word

router = APIRouter()

Action = Literal["resolve", "ignore"]
DETAILS = {Word.RESOLVE: {"in": "now"}, Word.IGNORE: {}}
STATUSES = {Word.RESOLVE: "resolved", Word.IGNORE: "ignored"}


@router.get("/projects/{slug}/issues/{issue_id}/decide")
def confirmation_page(
    slug: str,
    issue_id: IssueId,
    request: Request,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
    action: Action = "resolve",
) -> Response:
    project = user.project(slug)
    head = found_head(warehouse, project.id, int(issue_id, 16))
    word = Word(action)
    body = render(
        "issue/confirmation.html",
        user.framed(request, f"{action.capitalize()} {head.title}", "issues", project),
        issue=issue(head),
        action=action,
        is_decided=head.status == STATUSES[word],
        here=f"/projects/{project.slug}/issues/{head.id}",
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})


@router.post("/projects/{slug}/issues/{issue_id}/decide")
def decide(
    slug: str,
    issue_id: IssueId,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    form: FormDependency,
) -> Response:
    """Resolves the issue now, or ignores it forever, and leads to it."""
    require_csrf(request, user.session, form["csrf_token"])
    project = user.project(slug)
    if form["action"] not in DETAILS:
        raise HTTPException(400, "Choose resolve or ignore.")
    word = Word(form["action"])
    workflow = Workflow(context.warehouse, context.read, project.id, user.session.email)
    workflow.act([int(issue_id, 16)], word, DETAILS[word])
    return RedirectResponse(f"/projects/{project.slug}/issues/{issue_id}", status_code=303)
