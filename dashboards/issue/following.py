"""The form of an issue's page that follows the issue, or ends that."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.authentication import require_csrf
from api.context import ContextDependency
from api.errors import IssueNotFound
from api.subscriptions import follow, unfollow
from dashboards.issue.found import IssueId
from dashboards.shared.current_user import AccountUserDependency
from dashboards.shared.form import FormDependency
from errata.warehouse.queries.issue.head import project_of_issue

router = APIRouter()


@router.post("/projects/{slug}/issues/{issue_id}/subscription")
def change_subscription(
    slug: str,
    issue_id: IssueId,
    request: Request,
    context: ContextDependency,
    user: AccountUserDependency,
    form: FormDependency,
) -> Response:
    """Leads back to the issue as it was shown."""
    require_csrf(request, user.session, form["csrf_token"])
    project = user.project(slug)
    if project_of_issue(context.read, [project.id], int(issue_id, 16)) is None:
        raise IssueNotFound(issue_id)
    change = unfollow if form["action"] == "unfollow" else follow
    change(context, project.id, int(issue_id, 16), user.session)
    here = f"/projects/{project.slug}/issues/{issue_id}"
    query = form["query"]
    return RedirectResponse(f"{here}?{query}" if query else here, status_code=303)
