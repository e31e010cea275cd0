"""What projects deliver and what became of it, their limits, and the limits of the service."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.context import Context, ContextDependency
from api.limits import limits
from api.usage import forecast, limited_lines, usage_over_time
from dashboards.organization.usage.backups import shown_backups
from dashboards.organization.usage.view import (
    SCOPE_WORDS,
    forecast_words,
    limit_words,
    shown_outcomes,
    usage_figure,
)
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency, WarehouseDependency
from dashboards.shared.delivery_verdict import REASON_WORDS
from dashboards.shared.rendering import Page, render
from dashboards.shared.settings_navigation import navigation
from errata.period import Period
from errata.places import USAGE
from errata.reports.chart_template import templates
from errata.state.ingest_limits import MOST_PER_MINUTE
from errata.state.users import Role
from errata.warehouse.at_once import both
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.usage import LineSources, line_sources, refusals, usage

router = APIRouter()

HOURS = 24
# The default of the page of delivery.
FILE_DAYS = 14
FILES = Period(f"{FILE_DAYS}d")
DEFAULTS = {"tab": "usage", "period": "24h"}
CHOICES = tuple(each for each in periods.CHOICES if each[0] in ("24h", "7d", "30d", "90d"))
TABS = {"usage": "Usage", "limits": "Limits", "service": "This service"}


@router.get(USAGE.path)
def usage_page(
    request: Request, context: ContextDependency, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    page = user.framed(request, "Usage", "organization")
    values = {name: request.query_params.get(name, "") for name in ("tab", "period", "project", "service")}
    view = View(request.url.path, values, DEFAULTS).restricted("tab", TABS)
    found = VALUES[view["tab"]](context, user, warehouse, page, view)
    body = render(
        f"organization/usage/{view['tab']}.html", page, **navigation(USAGE), view=view, tabs=TABS, **found
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})


@router.get("/settings/limits")
def former_address(_user: CurrentUserDependency) -> Response:
    """Of bookmarks and of messages that earlier versions sent."""
    return RedirectResponse(f"{USAGE.path}?tab=limits", status_code=308)


def _usage(
    _context: Context, user: CurrentUser, warehouse: Warehouse, page: Page, view: View
) -> dict[str, Any]:
    chosen = periods.period(view["period"], DEFAULTS["period"])
    projects = [each for each in user.projects if view["project"] in ("", each.slug)]
    ids = [each.id for each in projects]
    (found, sources), month = both(
        lambda: (
            usage_over_time(warehouse, ids, chosen, page.now, view["service"]),
            line_sources(warehouse, ids, page.now, HOURS, FILES.of_days(page.now)),
        ),
        lambda: forecast(warehouse, ids, page.now),
    )
    return {
        "usage": found,
        "figure": usage_figure(found),
        "outcomes": shown_outcomes(found.outcomes),
        "forecast_words": forecast_words(month),
        "time_range": periods.shown(chosen.at(page.now), CHOICES),
        "all_projects": user.projects,
        "project_names": {each.id: each.name for each in user.projects},
        "project_slugs": {each.id: each.slug for each in user.projects},
        "service_choices": sorted({each.name[1] for each in found.services} - {""}),
        "line_sources": [(each, sources.get(each.id, LineSources())) for each in projects],
        "file_days": FILE_DAYS,
        "chart_templates": templates(),
    }


def _limits(
    context: Context, user: CurrentUser, warehouse: Warehouse, page: Page, _view: View
) -> dict[str, Any]:
    projects = [each.id for each in user.projects]
    refused = refusals(warehouse, projects, page.now, HOURS)
    used = usage(warehouse, projects, page.now, HOURS)
    return {
        "lines_per_minute": context.settings.lines_per_minute,
        "busiest_minute": max(hour.busiest_minute for hour in used.hours),
        "line_limits": limited_lines(
            context.state, user.session.organization_id, user.projects, used, refused
        ),
        "refusals": refused,
        "project_names": {each.id: each.name for each in user.projects},
        "most_per_minute": MOST_PER_MINUTE,
        "can_change": user.session.role is Role.OWNER,
        "reason_words": REASON_WORDS,
        "limit_words": limit_words,
    }


def _service(
    context: Context, _user: CurrentUser, _warehouse: Warehouse, page: Page, _view: View
) -> dict[str, Any]:
    last = context.state.backup_runs.last(context.backups.destination)
    return {
        "limits": list(limits(context.settings)),
        "scope_words": SCOPE_WORDS,
        "backups": shown_backups(context.backups, last, page.now),
    }


VALUES: Mapping[str, Callable[[Context, CurrentUser, Warehouse, Page, View], dict[str, Any]]] = {
    "usage": _usage,
    "limits": _limits,
    "service": _service,
}
