"""One endpoint: cards, charts and tables of one side, and the other side beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from dashboards.performance.card import Card
from dashboards.performance.trend import UNIT_WORDS, deploys
from dashboards.shared.chart_json import chart_json
from errata.performance.filters import Filters
from errata.performance.metric import Unit
from errata.period import TREND_STEPS, TrendStep
from errata.reports import chart_meanings, charts, formats
from errata.reports.chart_marks import with_annotations, with_deploys, without_labels
from errata.state.annotations import Annotation
from errata.warehouse.at_once import submitted
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import endpoint_detail
from errata.warehouse.queries.performance.endpoint_detail import (
    CallingPage,
    CallStep,
    Endpoint,
    EndpointIssue,
    Routes,
    SideFigures,
    SlowCall,
)
from errata.warehouse.queries.performance.endpoints import Side

ERRORS = {
    "4xx": "client_error_count",
    "5xx": "server_error_count",
    "no response": "no_answer_count",
}
ERROR_COLORS = {
    "4xx": chart_meanings.FAIR,
    "5xx": chart_meanings.WORSE,
    "no response": chart_meanings.MUTED,
}


@dataclass(frozen=True)
class Picture:
    """One of the charts with one axis of time; no figure of errors where there are none."""

    title: str
    figure: Markup | None
    words: str


@dataclass(frozen=True)
class EndpointDetail:
    """`side` is the one that cards, charts and slowest calls are of."""

    side: Side
    sides: list[SideFigures]
    is_comparable: bool
    """Whether cards have changes vs the previous period."""
    cards: list[Card]
    pictures: list[Picture]
    """Calls, durations and errors, one below the other; empty without calls."""
    note: str
    pages: list[CallingPage]
    slowest: list[SlowCall]
    issues: list[EndpointIssue]


def detail_of(
    warehouse: Warehouse,
    filters: Filters,
    endpoint: Endpoint,
    routes: Routes,
    wanted: str,
    annotations: Sequence[Annotation],
) -> EndpointDetail:
    """The wanted side where it has calls, else the one that has, servers first."""
    pages = submitted(lambda: endpoint_detail.calling_pages(warehouse, filters, endpoint, routes).rows)
    issues = submitted(lambda: endpoint_detail.issues_of_endpoint(warehouse, filters, endpoint, routes))
    starts = submitted(lambda: deploys(warehouse, filters))
    found = endpoint_detail.sides(warehouse, filters, endpoint, routes)
    shown = next((one for one in found.rows if one.side == wanted), None) or next(iter(found.rows), None)
    side: Side = shown.side if shown else "server"
    slowest = submitted(
        lambda: endpoint_detail.slowest_calls(warehouse, filters, endpoint, routes, side).rows
    )
    steps = endpoint_detail.steps(warehouse, filters, endpoint, routes, side).rows if shown else []
    step = filters.range.trend_step
    partial = f"; current {step} is partial" if filters.range.is_open else ""
    return EndpointDetail(
        side=side,
        sides=found.rows,
        is_comparable=shown is not None and shown.is_comparable,
        cards=list(_cards(shown)) if shown else [],
        pictures=_pictures(steps, step, starts.result(), annotations),
        note=f"by {UNIT_WORDS[step]}{partial}; dotted lines mark releases",
        pages=pages.result(),
        slowest=slowest.result(),
        issues=issues.result(),
    )


def _cards(shown: SideFigures) -> Iterator[Card]:
    now = shown.now
    yield Card("Calls", formats.compact(now.call_count), _change(shown, "call_count"))
    for name, word in (("avg", "Average"), ("p50", "p50"), ("p75", "p75"), ("p95", "p95"), ("p99", "p99")):
        yield Card(word, formats.duration(getattr(now, f"{name}_ms")), _change(shown, f"{name}_ms"))
    yield Card("Success", formats.compact(now.success_count), _change(shown, "success_count"))
    yield Card("4xx", formats.compact(now.client_error_count), _change(shown, "client_error_count"))
    yield Card("5xx", formats.compact(now.server_error_count), _change(shown, "server_error_count"))
    if now.no_answer_count or shown.before.no_answer_count:
        yield Card("No response", formats.compact(now.no_answer_count), _change(shown, "no_answer_count"))
    before = f"{formats.ratio(shown.before.error_ratio)} in previous period"
    yield Card("Errors", formats.ratio(now.error_ratio), before if shown.is_comparable else "4xx and 5xx")


def _change(shown: SideFigures, name: str) -> str:
    change = shown.change(name)
    if change is not None:
        return f"{formats.change(change)} vs previous period"
    if shown.is_comparable and name.endswith("_count"):
        return f"{formats.compact(getattr(shown.before, name))} in previous period"
    return ""


def _pictures(
    steps: Sequence[CallStep],
    step: TrendStep,
    deploys_of: Sequence[tuple[datetime, str]],
    annotations: Sequence[Annotation],
) -> list[Picture]:
    if not any(one.figures.call_count for one in steps):
        return []
    starts = [one.start for one in steps]
    calls = charts.events_over_time(starts, [("calls", [one.figures.call_count for one in steps])])
    durations = charts.trend(steps, TREND_STEPS[step], "", Unit.MS, ("p50", "p95"))
    counts = {name: [getattr(one.figures, of) for one in steps] for name, of in ERRORS.items()}
    lines = [(name, values) for name, values in counts.items() if any(values)]
    drawn = [calls, durations]
    if lines:
        errors = charts.events_over_time(starts, lines, colors=ERROR_COLORS)
        drawn.append(errors.update_layout(showlegend=True))
    first, *others = (
        with_annotations(with_deploys(figure, deploys_of), annotations)
        for figure in charts.on_one_axis(drawn, durations.layout.xaxis.to_plotly_json())
    )
    marked = [chart_json(figure) for figure in (first, *map(without_labels, others))]
    total = sum(sum(values) for _, values in lines)
    return [
        Picture("Calls", marked[0], f"Calls by {step}"),
        Picture("Duration", marked[1], f"Duration by {step}: p50 and p95"),
        Picture("Errors", marked[2] if lines else None, f"Errors by {step}: {formats.count(total)}"),
    ]
