"""The two tabs of the performance page: pages and endpoints."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from dashboards.performance.card import Card
from dashboards.performance.metrics import TREND_METRICS
from dashboards.performance.overview.cards import endpoint_cards, page_cards
from dashboards.performance.overview.sorting import ENDPOINT_SORTS, PAGE_SORTS, in_order
from dashboards.performance.trend import deploys, drawn_trend, rows_before
from dashboards.shared.addresses import View
from dashboards.shared.chart_json import chart_json
from errata.performance.filters import Filters
from errata.performance.metric import LOAD
from errata.reports import charts
from errata.reports.unended import unended_words
from errata.state.annotations import Annotation
from errata.warehouse.at_once import all_three, both
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.endpoints import (
    EndpointRow,
    Side,
    all_endpoints,
    endpoints,
    endpoints_of_both,
)
from errata.warehouse.queries.performance.page_views import NAVIGATE, PageRow

DEFAULTS = {"tab": "pages", "period": "14d", "metric": "load_ms", "sort": ""}
SLOWEST_SHOWN = 12
# More make a page of megabytes that nobody reads; the downloads hold all.
MOST_ROWS = 500


@dataclass(frozen=True)
class Tab:
    rows: list[Any]
    cards: list[Card]
    figure: Markup | None
    title: str
    note: str
    words: str
    unended: str
    """How far loads that had not ended reach into the load time of all pages."""
    subjects: list[str]
    as_of: datetime | None
    is_estimated: bool = False
    """Whether some percentiles are estimated because of the filters."""


def pages_tab(warehouse: Warehouse, filters: Filters, view: View, annotations: Sequence[Annotation]) -> Tab:
    metric = view["metric"] if view["metric"] in TREND_METRICS else DEFAULTS["metric"]
    (answer, together), trend, starts = all_three(
        lambda: page_views.pages_and_overview(warehouse, filters),
        lambda: page_views.trend(warehouse, filters, metric, view["page"], filters.range.trend_step).rows,
        lambda: deploys(warehouse, filters),
    )
    loads = next((row for row in together if row.navigation_type == NAVIGATE), None)
    name = f"{TREND_METRICS[metric]} {'of ' + view['page'] if view['page'] else 'of all pages'}"
    before = rows_before(warehouse, filters, metric, view["page"], view)
    drawn = drawn_trend(trend, filters.range, metric, name, starts, annotations, before)
    return Tab(
        rows=in_order(answer.rows, view["sort"], PAGE_SORTS),
        cards=list(page_cards(loads, filters.range)),
        figure=drawn.figure,
        title=drawn.title,
        note=drawn.note,
        words=drawn.words,
        unended=unended_words(loads.unended, loads[LOAD]) if loads else "",
        subjects=_subjects(answer.rows, view["page"]),
        as_of=answer.as_of,
        is_estimated=any(row.is_estimated(filters) for row in answer.rows),
    )


def endpoints_tab(
    warehouse: Warehouse, filters: Filters, view: View, _annotations: Sequence[Annotation]
) -> Tab:
    """Its chart is of endpoints, not of time. Cards are of one side: that of servers, if any responded."""
    side: Side = "page" if view["side"] == "page" else "server"
    answer, together = both(
        lambda: (
            endpoints(warehouse, filters, side) if side == "page" else endpoints_of_both(warehouse, filters)
        ),
        lambda: all_endpoints(warehouse, filters, side),
    )
    if answer.rows and together is None:
        together = all_endpoints(warehouse, filters, "page")
    slowest = sorted(
        (row for row in answer.rows if row.p95_ms is not None), key=lambda row: row.p95_ms or 0, reverse=True
    )[:SLOWEST_SHOWN]
    return Tab(
        rows=in_order(answer.rows, view["sort"], ENDPOINT_SORTS),
        cards=list(endpoint_cards(together)),
        figure=chart_json(charts.slowest_endpoints([(_name(row), row.avg_ms, row.p95_ms) for row in slowest]))
        if slowest
        else None,
        title="Slowest endpoints",
        note="average and p95 in the period",
        words="Average and p95 of the slowest endpoints; the table below shows the same figures"
        if slowest
        else "No calls yet",
        unended="",
        subjects=[],
        as_of=answer.as_of,
    )


def _subjects(rows: list[PageRow], chosen: str) -> list[str]:
    loads = sorted((row for row in rows if row.navigation_type == NAVIGATE), key=lambda row: -row.view_count)
    names = {row.page for row in loads[:MOST_ROWS]}
    return sorted(names | {chosen} if chosen else names)


def _name(row: EndpointRow) -> str:
    measured = " (browsers)" if row.side == "page" else ""
    return f"{row.method} {row.route}{measured}".strip()
