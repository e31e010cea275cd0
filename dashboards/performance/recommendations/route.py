"""Recommendations that would make pages faster."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.performance.filters import filter_choices, performance_filters
from dashboards.performance.no_figures import first_build_page
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE, live_answer, version
from dashboards.shared.performance_nav import table_address
from dashboards.shared.performance_view import performance_view
from dashboards.shared.rendering import render
from errata.recommendations.recommendation import Rule
from errata.recommendations.recommended import recommended
from errata.warehouse.at_once import both
from errata.warehouse.published import ages_read
from errata.warehouse.queries.performance.facets import facets

router = APIRouter()

DEFAULTS = {"period": "14d"}
MOST_SHOWN = 50
RULES = {
    Rule.RENDER_BLOCKING: "Blocks first paint",
    Rule.UNCOMPRESSED: "Not compressed",
    Rule.UNCACHED: "Downloaded repeatedly",
    Rule.UNUSED_PRELOAD: "Unused preload",
    Rule.LARGE_IMAGE: "Large image",
    Rule.LARGE_SCRIPTS: "Too much JavaScript",
    Rule.MANY_REQUESTS: "Too many requests",
    Rule.REPEATED_CALLS: "Repeated API calls",
    Rule.THIRD_PARTY: "Slow third party",
    Rule.SLOW_ENDPOINT: "Slow endpoint",
    Rule.SLOW_FIRST_BYTE: "Slow first byte",
    Rule.LATE_LCP: "Late largest content",
    Rule.LAYOUT_SHIFT: "Layout shifts",
    Rule.SLOW_INTERACTION: "Slow interactions",
    Rule.SLOW_HANDLER: "Slow event handler",
}


@router.get("/projects/{slug}/performance/recommendations")
def recommendations_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Recommendations for {project.name}", "performance", project)
    view = performance_view(request, defaults=DEFAULTS)
    if (first := first_build_page(warehouse, page, view, "recommendations", project.id)) is not None:
        return HTMLResponse(first, headers=CACHE)
    filters = performance_filters(view, project.id, page.now)
    found, offered = both(
        lambda: recommended(warehouse, filters),
        lambda: facets(warehouse, filters.projects, filters.range.since),
    )
    state = version(found.rows, ages_read())

    def body() -> bytes:
        return render(
            "performance/recommendations/recommendations.html",
            page,
            view=view,
            **filter_choices(view, filters, offered),
            rule_words=RULES,
            rows=found.rows[:MOST_SHOWN],
            row_count=len(found.rows),
            sample=found,
            table_address=table_address(slug, "recommendations", view),
            version=state,
        )

    return live_answer(request, state, body)
