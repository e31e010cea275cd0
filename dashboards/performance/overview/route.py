"""The performance of pages and API endpoints."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.performance.filters import filter_choices, performance_filters
from dashboards.performance.metrics import TABLE_METRICS, TREND_METRICS
from dashboards.performance.no_figures import Reason, first_build_page, reason_of
from dashboards.performance.overview.view import DEFAULTS, MOST_ROWS, endpoints_tab, pages_tab
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE, live_answer, version
from dashboards.shared.performance_nav import CARRIED, table_address
from dashboards.shared.rendering import render
from errata.performance.filters import FILTERS
from errata.reports import formats
from errata.reports.chart_template import templates
from errata.warehouse.at_once import both
from errata.warehouse.published import ages_read
from errata.warehouse.queries.performance.data_received import DataReceived, data_received
from errata.warehouse.queries.performance.facets import facets

router = APIRouter()

# A server's calls have no device and browser.
NOT_OF_CALLS = {one.name: "" for one in FILTERS if not one.is_of_days}
TABS = {"pages": pages_tab, "endpoints": endpoints_tab}
NAMES = ("tab", *CARRIED, "metric", "page", "side", "sort", "compare")


@router.get("/projects/{slug}/performance")
def performance_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Performance of {project.name}", "performance", project)
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in NAMES}, DEFAULTS)
    view = view.restricted("tab", TABS)
    if (first := first_build_page(warehouse, page, view, view["tab"], project.id)) is not None:
        return HTMLResponse(first, headers=CACHE)
    filters = performance_filters(view, project.id, page.now)
    annotations = user.annotations(project)
    tab = TABS[view["tab"]]
    shown, offered = both(
        lambda: tab(warehouse, filters, view, annotations),
        lambda: facets(warehouse, filters.projects, filters.range.since),
    )
    received = None if shown.rows else data_received(warehouse, project.id, shown.as_of)
    choices = filter_choices(view, filters, offered)
    state = version(shown.rows, shown.cards, received, annotations, ages_read())

    def body() -> bytes:
        return render(
            "performance/overview/overview.html",
            page,
            view=view,
            **choices,
            reason=_reason(received, view, bool(choices["is_narrowed"])),
            metrics=TREND_METRICS,
            table_metrics=TABLE_METRICS,
            carried=CARRIED,
            previous_span=formats.span(filters.range.before, filters.range.since),
            subjects=shown.subjects,
            rows=shown.rows[:MOST_ROWS],
            row_count=len(shown.rows),
            cards=shown.cards,
            unended=shown.unended,
            is_estimated=shown.is_estimated,
            has_trend=shown.figure is not None,
            figure=shown.figure,
            trend_title=shown.title,
            trend_note=shown.note,
            trend_words=shown.words,
            trend_version=version(shown.figure, view["page"], view["metric"]),
            chart_templates=templates(),
            version=state,
            table_address=_table_address(slug, view),
        )

    return live_answer(request, state, body)


def _table_address(slug: str, view: View) -> str:
    if view["tab"] == "endpoints":
        side = "page" if view["side"] == "page" else "both"
        return table_address(slug, "endpoints", view, side=side, **NOT_OF_CALLS)
    return table_address(slug, "pages", view)


def _reason(received: DataReceived | None, view: View, is_narrowed: bool) -> Reason | None:
    if received is None:
        return None
    if view["tab"] == "endpoints":
        return reason_of(received.calls, view.is_filtered)
    return reason_of(received.loads, is_narrowed)
