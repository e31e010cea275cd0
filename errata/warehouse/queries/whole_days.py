"""The figures of days that are over, as of the last build: what reports of a week or a release tell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.performance import (
    FEWEST_TO_COMPARE,
    NAVIGATE,
    EndpointRow,
    PageRow,
    Percentiles,
    TrendRow,
    known_percentiles,
)
from errata.warehouse.queries.resources import TYPES, ResourceRow

WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Days:
    """Of one project; `until` is exclusive, empty texts mean all."""

    project_id: int
    since: date
    until: date
    environment: str = ""
    release: str = ""

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "projects": [self.project_id],
            "since": self.since,
            "until": self.until,
            "environment": self.environment,
            "release": self.release,
        }

    @property
    def before(self) -> "Days":
        """As many days, of all releases: a release has none before itself."""
        length = self.until - self.since
        return Days(self.project_id, self.since - length, self.since, self.environment)


@dataclass(frozen=True, slots=True)
class LoadsOfDays:
    """`built_through`: of the newest of these days; None without page loads."""

    together: PageRow | None
    pages: list[PageRow]
    built_through: datetime | None


def loads_of_days(warehouse: Warehouse, days: Days) -> LoadsOfDays:
    """Page loads alone; the busiest page first."""
    rows = _metrics(warehouse, days, step_days=0)
    before = _by_page(_metrics(warehouse, days.before, step_days=0))
    found = {page: _page(page, metrics, before.get(page, {})) for page, metrics in _by_page(rows).items()}
    together = found.pop("", None)
    built_through = max((row["built_through"] for row in rows), default=None)
    return LoadsOfDays(
        together,
        sorted(found.values(), key=lambda row: (-row.view_count, row.page)),
        built_through.replace(tzinfo=UTC) if built_through else None,
    )


def load_time_over(warehouse: Warehouse, days: Days, step_days: int) -> list[TrendRow]:
    """Of all pages together, by week (7) or day (1), the oldest first."""
    rows = _metrics(warehouse, days, step_days)
    return [
        TrendRow(row["step_start"], row["sample_count"], row["sample_count"], *known_percentiles(row), None)
        for row in rows
        if row["metric"] == "load_ms"
    ]


def endpoints_of_days(warehouse: Warehouse, days: Days) -> list[EndpointRow]:
    """As servers answered; the most called first."""
    return [_endpoint(row) for row in warehouse.rows(sql.query("endpoints_of_days"), days.parameters)]


def resources_of_days(warehouse: Warehouse, days: Days) -> tuple[list[ResourceRow], list[ResourceRow]]:
    """Types in the order of TYPES, and single URLs."""
    found = [_resource(row) for row in warehouse.rows(sql.query("resources_of_days"), days.parameters)]
    types = sorted((row for row in found if not row.url), key=lambda row: TYPES.index(row.type))
    return types, [row for row in found if row.url]


def _metrics(warehouse: Warehouse, days: Days, step_days: int) -> list[Row]:
    return warehouse.rows(sql.query("pages_of_days"), {**days.parameters, "step_days": step_days})


def _by_page(rows: Iterable[Row]) -> dict[str, dict[str, Row]]:
    """The metrics of each page; those of all together under no name."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row["page_name"], {})[row["metric"]] = row
    return found


def _page(page: str, metrics: Mapping[str, Row], before: Mapping[str, Row]) -> PageRow:
    def percentiles(metric: str) -> Percentiles:
        return known_percentiles(metrics.get(metric))

    calls = metrics.get("api_ms")
    return PageRow(
        page=page,
        navigation_type=NAVIGATE,
        view_count=metrics["view"]["sample_count"],
        load_ms=percentiles("load_ms"),
        ttfb_ms=percentiles("ttfb_ms"),
        dom_ready_ms=percentiles("dom_ready_ms"),
        fcp_ms=percentiles("fcp_ms"),
        lcp_ms=percentiles("lcp_ms"),
        cls=percentiles("cls"),
        inp_ms=percentiles("inp_ms"),
        resources_ms=percentiles("resources_ms").p50,
        api_ms=calls["value_sum"] / calls["sample_count"] if calls else None,
        api_call_count=calls["sample_count"] if calls else 0,
        change_ratio=_change(metrics, before),
    )


def _change(metrics: Mapping[str, Row], before: Mapping[str, Row]) -> float | None:
    own, other = metrics.get("load_ms"), before.get("load_ms")
    if own is None or other is None or min(own["sample_count"], other["sample_count"]) < FEWEST_TO_COMPARE:
        return None
    was, now = known_percentiles(other).p75, known_percentiles(own).p75
    return now / was - 1 if was and now is not None else None


def _endpoint(row: Row) -> EndpointRow:
    known = known_percentiles(row)
    answered = row["successes"] + row["client_errors"] + row["server_errors"]
    return EndpointRow(
        method=row["called_method"],
        route=row["called_route"],
        host="",
        path_example=row["example"],
        avg_ms=row["duration_ms"] / row["calls"],
        p50_ms=known.p50,
        p75_ms=known.p75,
        p95_ms=known.p95,
        call_count=row["calls"],
        success_count=row["successes"],
        client_error_count=row["client_errors"],
        server_error_count=row["server_errors"],
        no_answer_count=row["calls"] - answered,
        error_ratio=(row["client_errors"] + row["server_errors"]) / row["calls"],
    )


def _resource(row: Row) -> ResourceRow:
    sized, blocked = row["sized"], row["blocking"]
    return ResourceRow(
        type=row["resource_type"],
        url=row["resource_url"],
        host=row["resource_host"],
        view_count=row["views"],
        resource_count=row["loads"],
        cached_count=row["cached"],
        sized_count=sized,
        blocking_count=blocked,
        error_count=row["errors"],
        transfer_bytes=row["transferred"],
        body_bytes=row["body"] / sized if sized else None,
        decoded_bytes=row["decoded"] / sized if sized and row["decoded"] else None,
        duration_ms=known_percentiles(row),
        avg_ms=row["spent_ms"] / row["loads"],
        delay_ms=row["delay_ms"] / blocked if blocked else None,
    )
