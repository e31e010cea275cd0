"""The page of one issue."""

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from api.context import ContextDependency
from dashboards.issue.found import NO_ISSUE, found_head
from dashboards.issue.head import ACTIONS, MARKS
from dashboards.issue.neighbors import Neighbors, neighbors
from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Tab
from dashboards.issue.tabs import TABS
from dashboards.issue.view import DEFAULTS, NAMES, fetch_history, frame
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import REFRESH_HEADER, live_answer, version
from dashboards.shared.rendering import render
from errata.warehouse.at_once import both
from errata.warehouse.queries.issue.head import project_of_issue

router = APIRouter()


@router.get("/issues/{issue_id}")
def issue_of_any_project(
    issue_id: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    """The short address, for links made elsewhere."""
    slugs = {project.id: project.slug for project in user.projects}
    project_id = project_of_issue(warehouse, list(slugs), _number(issue_id))
    if project_id is None:
        raise HTTPException(404, NO_ISSUE)
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/projects/{slugs[project_id]}/issues/{issue_id}{query}", status_code=303)


@router.get("/projects/{slug}/issues/{issue_id}")
def issue_page(
    slug: str,
    issue_id: str,
    request: Request,
    user: CurrentUserDependency,
    context: ContextDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = user.project(slug)
    page = user.framed(request, "Issue", "issues", project)
    tab = _tab(request.query_params.get("tab", ""))
    names = (*NAMES, *tab.names)
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in names}, DEFAULTS)
    chosen = periods.period(view["period"], DEFAULTS["period"])
    head = found_head(warehouse, project.id, _number(issue_id), chosen.of_events(page.now))
    if head.merged_into:
        return RedirectResponse(f"/projects/{project.slug}/issues/{head.id}", status_code=303)
    page = user.framed(request, head.title, "issues", project)
    issue_request = IssueRequest(context, warehouse, user, page, project, view, head, chosen)
    return _answer(request, tab, issue_request)


def _tab(name: str) -> Tab:
    """The first tab stands for an unknown name."""
    return next((tab for tab in TABS if tab.name == name), TABS[0])


def _answer(request: Request, tab: Tab, issue_request: IssueRequest) -> Response:
    found, history = both(lambda: tab.fetch(issue_request), lambda: fetch_history(issue_request))
    fragments = {one.template: one.fetch(issue_request) for one in (*MARKS, *ACTIONS)}
    head_version = version(issue_request.head, history, list(fragments.values()))

    def body() -> bytes:
        return render(
            tab.template,
            issue_request.page,
            **frame(issue_request, tab),
            **history,
            head_version=head_version,
            # A refresh leaves them as they are: the way along the list stays while the list moves.
            neighbors=Neighbors() if REFRESH_HEADER in request.headers else neighbors(issue_request),
            marks=[(one.template, fragments[one.template]) for one in MARKS],
            actions=[(one.template, fragments[one.template]) for one in ACTIONS],
            **found.values,
        )

    return live_answer(request, version(head_version, found.state), body)


def _number(issue_id: str) -> int:
    try:
        number = int(issue_id, 16)
    except ValueError:
        raise HTTPException(404, NO_ISSUE) from None
    if not 0 < number < 1 << 64:
        raise HTTPException(404, NO_ISSUE)
    return number
