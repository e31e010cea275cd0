"""Resources of pages by type and by URL."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.performance.filters import filter_choices, performance_filters
from dashboards.performance.no_figures import first_build_page, reason_of
from dashboards.performance.resource_tables import DEFAULT_SORT, IMPACT_WORDS, sorted_by
from dashboards.performance.resource_types import TYPES
from dashboards.performance.resources.view import cards
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE, live_answer, version
from dashboards.shared.performance_nav import table_address
from dashboards.shared.performance_view import performance_view
from dashboards.shared.rendering import render
from errata.warehouse.at_once import submitted
from errata.warehouse.published import ages_read
from errata.warehouse.queries.performance import page_detail, resources
from errata.warehouse.queries.performance.data_received import data_received
from errata.warehouse.queries.performance.facets import facets

router = APIRouter()

DEFAULTS = {"period": "14d", "sort": DEFAULT_SORT}
MOST_URLS = 30
MOST_BLOCKING = 12


@router.get("/projects/{slug}/performance/resources")
def resources_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Resources of {project.name}", "performance", project)
    view = performance_view(request, "page", "type", defaults=DEFAULTS)
    if (first := first_build_page(warehouse, page, view, "resources", project.id)) is not None:
        return HTMLResponse(first, headers=CACHE)
    filters = performance_filters(view, project.id, page.now)
    chosen_type = view["type"] if view["type"] in resources.TYPES else ""
    later_facets = submitted(lambda: facets(warehouse, filters.projects, filters.range.since))
    later_names = submitted(lambda: page_detail.page_names(warehouse, filters))
    name, is_descending = sorted_by(view["sort"])
    choice = resources.Choice(MOST_URLS, MOST_BLOCKING, chosen_type, name, is_descending)
    found = resources.breakdown(warehouse, filters, view["page"], choice)
    offered, names = later_facets.result(), later_names.result()
    choices = filter_choices(view, filters, offered)
    reason = (
        None
        if found.types
        else reason_of(
            data_received(warehouse, project.id, found.as_of).loads,
            bool(choices["is_narrowed"] or view["page"] or view["type"]),
        )
    )
    state = version(found, reason, ages_read())

    def body() -> bytes:
        return render(
            "performance/resources/resources.html",
            page,
            view=view,
            **choices,
            reason=reason,
            pages=names,
            type_words=TYPES,
            impact_words=IMPACT_WORDS,
            cards=cards(found.types),
            types=found.types,
            held=found.blocking,
            urls=found.urls,
            url_count=found.url_count,
            types_address=table_address(slug, "resources", view, page=view["page"], by="type"),
            urls_address=table_address(
                slug, "resources", view, page=view["page"], by="url", type=chosen_type
            ),
            version=state,
            resource_question=found.question,
        )

    return live_answer(request, state, body)
