"""What the performance page shows beside its tables: cards, metrics by name, rows in order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from dashboards.shared.metrics import figure, rating
from errata.performance.metric import PAGE_METRICS, SHOWN, Unit
from errata.reports import formats
from errata.warehouse.queries.performance.endpoints import EndpointRow
from errata.warehouse.queries.performance.page_views import PageRow, TrendRow

# Those without a unit come last.
TREND_METRICS = {one.name: one.title for one in sorted(SHOWN, key=lambda one: one.unit is not Unit.MS)}
TABLE_METRICS = tuple(one for one in SHOWN if one.is_in_table)
PAGE_SORTS = (
    "page",
    "view_count",
    *(one.name for one in TABLE_METRICS),
    "resources_ms",
    "api_ms",
    "change_ratio",
)
CARD_METRICS = ("load_ms", "lcp_ms", "inp_ms", "cls")
ENDPOINT_SORTS = (
    "route",
    "avg_ms",
    "p95_ms",
    "call_count",
    "success_count",
    "client_error_count",
    "server_error_count",
    "error_ratio",
)

Row = TypeVar("Row", PageRow, EndpointRow)


@dataclass(frozen=True, slots=True)
class Card:
    name: str
    value: str
    note: str = ""
    rating: str = ""


def page_cards(all_pages: PageRow | None) -> Iterator[Card]:
    if all_pages is None:
        return
    yield Card("Page loads", formats.compact(all_pages.view_count))
    for metric in CARD_METRICS:
        known = all_pages[metric]
        note = (
            f"p50 {figure(metric, known.p50)} · p95 {figure(metric, known.p95)}"
            if known.p75 is not None
            else ""
        )
        yield Card(
            f"{PAGE_METRICS[metric].heading} p75",
            figure(metric, known.p75),
            note,
            rating(metric, known.p75),
        )
    yield Card(
        "API calls",
        formats.duration(all_pages.api_ms),
        f"mean of {formats.plural(all_pages.api_call_count, 'call')}",
    )
    yield Card("Load p75 change", formats.change(all_pages.change_ratio), "vs previous period")


def endpoint_cards(together: EndpointRow | None) -> Iterator[Card]:
    if together is None:
        return
    yield Card("Calls", formats.compact(together.call_count))
    yield Card("Average", formats.duration(together.avg_ms))
    yield Card("p95", formats.duration(together.p95_ms), f"p50 {formats.duration(together.p50_ms)}")
    yield Card("Errors", formats.ratio(together.error_ratio), "4xx and 5xx")
    yield Card("Server errors", formats.compact(together.server_error_count), "5xx")


def every_week(weeks: Sequence[TrendRow], since: date, today: date) -> list[TrendRow]:
    """Weeks without views are part of the picture."""
    known = {week.start: week for week in weeks}
    monday = since - timedelta(days=since.weekday())
    answer = []
    while monday <= today:
        answer.append(known.get(monday) or TrendRow(monday, 0, 0, None, None, None, None))
        monday += timedelta(weeks=1)
    return answer


def every_day(days: Sequence[TrendRow], since: date, today: date) -> list[TrendRow]:
    """Days without views are part of the picture."""
    known = {day.start: day for day in days}
    spans = [since + timedelta(days=number) for number in range((today - since).days + 1)]
    return [known.get(day) or TrendRow(day, 0, 0, None, None, None, None) for day in spans]


def in_order(rows: Sequence[Row], sort: str, allowed: Sequence[str]) -> list[Row]:
    """By one column, `-` before its name for the largest first; rows without a value come last either way."""
    name, is_descending = sort.removeprefix("-"), sort.startswith("-")
    if name not in allowed:
        return list(rows)
    known = [row for row in rows if _key(row, name) is not None]
    unknown = [row for row in rows if _key(row, name) is None]
    return sorted(known, key=lambda row: _sortable(_key(row, name)), reverse=is_descending) + unknown


def _key(row: PageRow | EndpointRow, name: str) -> float | str | None:
    """Metrics with percentiles are sorted by p75."""
    if isinstance(row, PageRow) and name in row.percentiles:
        return row[name].p75
    value: float | str | None = getattr(row, name)
    return value


def _sortable(value: float | str | None) -> tuple[float, str]:
    return (0, value) if isinstance(value, str) else (value or 0, "")
