"""Calls of API endpoints, as of the last build."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from errata.performance.filters import Filters
from errata.routes import RouteTree
from errata.warehouse import sql
from errata.warehouse.at_once import both
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.performance.page_views import Result, begun_days
from errata.warehouse.queries.progress import last_build

DAYS, HOURS = "endpoint_metrics_daily", "endpoint_metrics_hourly"


Side = Literal["server", "page"]


@dataclass(frozen=True, slots=True)
class Calls:
    """Durations are None without calls."""

    call_count: int
    success_count: int
    client_error_count: int
    server_error_count: int
    avg_ms: float | None
    p50_ms: float | None
    p75_ms: float | None
    p95_ms: float | None

    @property
    def error_count(self) -> int:
        return self.client_error_count + self.server_error_count

    @property
    def error_ratio(self) -> float:
        return self.error_count / self.call_count if self.call_count else 0.0

    @property
    def no_answer_count(self) -> int:
        """Calls without a status: cut off, refused, blocked."""
        return self.call_count - self.success_count - self.error_count


@dataclass(frozen=True, slots=True)
class EndpointRow(Calls):
    side: Side
    """Who measured: servers, or the pages that called."""
    method: str
    route: str
    host: str
    path_example: str


def endpoints(warehouse: Warehouse, filters: Filters, side: Side = "server") -> Result[EndpointRow]:
    """Endpoints, the most called first. `side`: server (incoming calls) or page (calls as pages saw them)."""
    result = _endpoint_metrics(warehouse, filters, side, is_by_endpoint=True)
    return Result([endpoint_row(row, side) for row in result.rows], result.as_of)


def endpoints_of_both(warehouse: Warehouse, filters: Filters) -> Result[EndpointRow]:
    """Endpoints as servers responded, and those that no server reports as pages saw them, the most called
    first."""
    served, called = both(
        lambda: endpoints(warehouse, filters, "server"), lambda: endpoints(warehouse, filters, "page")
    )
    rows = [*served.rows, *_not_served(called.rows, served.rows)]
    return Result(sorted(rows, key=lambda row: -row.call_count), served.as_of)


def _not_served(called: Iterable[EndpointRow], served: Iterable[EndpointRow]) -> list[EndpointRow]:
    """Pages know no routes, so what they called is of any route that its path fits."""
    routes: dict[str, list[str]] = {}
    for row in served:
        routes.setdefault(row.method, []).append(row.route)
    trees = {method: RouteTree.of(of_method) for method, of_method in routes.items()}
    return [row for row in called if row.method not in trees or not trees[row.method].fits(row.route)]


def all_endpoints(warehouse: Warehouse, filters: Filters, side: Side = "server") -> EndpointRow | None:
    """All endpoints of a side together; None without calls."""
    rows = _endpoint_metrics(warehouse, filters, side, is_by_endpoint=False).rows
    return endpoint_row(rows[0], side) if rows else None


def all_endpoints_before(warehouse: Warehouse, filters: Filters, side: Side = "server") -> EndpointRow | None:
    """All endpoints of a side together in the previous period; None without calls."""
    rows = _endpoint_metrics(warehouse, filters, side, is_by_endpoint=False, is_before=True).rows
    return endpoint_row(rows[0], side) if rows else None


def _endpoint_metrics(
    warehouse: Warehouse, filters: Filters, side: Side, *, is_by_endpoint: bool, is_before: bool = False
) -> Result[Row]:
    chosen = filters.range.previous if is_before else filters.range
    parameters = {
        **filters.parameters_of_days,
        "since": chosen.since,
        "until": chosen.until,
        "days_of_hours": begun_days(chosen.since, chosen.until),
        "side": side,
        "is_by_endpoint": is_by_endpoint,
    }
    as_of = last_build(warehouse, parameters, DAYS, HOURS).as_of
    return Result(warehouse.rows(sql.query("endpoint_metrics"), parameters), as_of)


def calls_of(row: Row) -> dict[str, Any]:
    """The fields of Calls, with p99 where a question asks for it."""
    calls = row["calls"]
    percentiles = zip(("p50_ms", "p75_ms", "p95_ms", "p99_ms"), row["percentiles"], strict=False)
    return {
        "call_count": calls,
        "success_count": row["successes"],
        "client_error_count": row["client_errors"],
        "server_error_count": row["server_errors"],
        "avg_ms": row["duration_ms"] / calls if calls else None,
        **{name: value if calls else None for name, value in percentiles},
    }


def endpoint_row(row: Row, side: Side) -> EndpointRow:
    return EndpointRow(
        **calls_of(row),
        side=side,
        method=row["called_method"],
        route=row["called_route"],
        host=row["called_host"],
        path_example=row["example"],
    )
