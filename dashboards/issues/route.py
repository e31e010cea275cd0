"""The issue list of a project."""

from dataclasses import replace
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from api.dsns import dsns_of
from dashboards.issues.events import bars_of
from dashboards.issues.facets import shown_facets
from dashboards.issues.saved_searches import search_links
from dashboards.issues.view import listing
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.issue_list import filters_of, kept_list, list_view, sort_of
from dashboards.shared.live import live_answer
from dashboards.shared.rendering import render
from errata.search import SearchError
from errata.search.toggle import has_value, toggled
from errata.state.users import Role
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.events_over_time import events_over_time
from errata.warehouse.queries.issues.facets import search_facets
from errata.warehouse.queries.issues.filters import IssueFilters, query_context

router = APIRouter()

STATUSES = (
    ("unresolved", "Unresolved"),
    ("regressed", "Regressed"),
    ("resolved", "Resolved"),
    ("ignored", "Ignored"),
    ("all", "All"),
)


@router.get("/projects/{slug}/issues")
def issues(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Issues of {project.name}", "issues", project)
    view = list_view(request.url.path, request.query_params)
    filters = filters_of(view, user, context.state, project, page.now)
    shown = listing(warehouse, project.id, filters, sort_of(view), view["cursor"], view["spark"])
    session = user.session
    saved = context.state.saved_searches.of_project(session.organization_id, slug, session.user_id)
    facets = _facets(warehouse, project.id, view, filters) if view["facets"] and not shown.mistake else None

    def body() -> bytes:
        return render(
            "issues/list.html",
            page,
            view=view,
            listing=shown,
            searches=search_links(view, saved, session.email, session.role is Role.OWNER),
            facets=facets,
            statuses=STATUSES,
            time_range=periods.shown(filters.period),
            # The issue is shown for the period of the list, and leads on along the list.
            issue_query=urlencode({"period": filters.period.period, "list": kept_list(view, view["cursor"])}),
            base_url=context.base_url,
            dsns=[] if shown.has_events else dsns_of(context, session.organization_id, project),
        )

    return live_answer(request, shown.version, body)


@router.get("/projects/{slug}/issue-facets")
def facets(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
) -> Response:
    """The facets alone, fetched once the list is shown."""
    project = user.project(slug)
    page = user.framed(request, "Filters", "issues", project)
    view = list_view(f"/projects/{project.slug}/issues", request.query_params)
    try:
        filters = filters_of(view, user, context.state, project, page.now)
        found = _facets(warehouse, project.id, view, filters)
    except SearchError:
        return Response(status_code=204)
    return HTMLResponse(render("issues/facets.html", page, **found), headers={"Cache-Control": "no-store"})


@router.get("/projects/{slug}/issue-events")
def events(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
) -> Response:
    """The events over time above the list, fetched once it is shown."""
    project = user.project(slug)
    page = user.framed(request, "Error events over time", "issues", project)
    view = list_view(request.url.path, request.query_params)
    filters = filters_of(view, user, context.state, project, page.now)
    chosen = filters.period.in_hours
    found = events_over_time(warehouse, project.id, chosen, filters.environment, filters.release)
    body = render("issues/events.html", page, bars=bars_of(chosen, found), view=view)
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})


def _facets(warehouse: Warehouse, project_id: int, view: View, filters: IssueFilters) -> dict[str, object]:
    """Facets under the whole search: choices beside the search box count as terms."""
    search = filters.search
    for key, value in (("environment", filters.environment), ("release", filters.release)):
        if value and not has_value(search, key, False, value):
            search = toggled(search, key, False, value)
    asking = query_context(warehouse, project_id, filters)
    found = search_facets(warehouse, project_id, search, filters.period, asking)
    return {
        "facets": shown_facets(view, filters.search, found.facets),
        "found": found,
        "status": view["status"],
        # The page that has them in it.
        "address": replace(view, values={**view.values, "facets": "1"}).in_full,
    }
