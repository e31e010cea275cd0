"""One endpoint: its figures on both sides, their steps, the pages that call it, slow calls and issues."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from errata.clock import EPOCH, utc
from errata.performance.filters import Filters
from errata.period import TimeRange
from errata.routes import PARAMETER_OF_ROUTE, shape
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.expressions import ALWAYS, Condition
from errata.warehouse.queries.deletions import kept_events
from errata.warehouse.queries.performance.endpoints import DAYS, HOURS, Calls, Side, calls_of
from errata.warehouse.queries.performance.page_views import (
    FEWEST_TO_COMPARE,
    LOADS,
    Percentiles,
    Result,
    begun_days,
)
from errata.warehouse.queries.performance.waterfall import hex_or_empty
from errata.warehouse.queries.progress import last_build, once_a_build
from errata.warehouse.typed_rows import typed

SIDES: tuple[Side, ...] = ("server", "page")
MOST_CALLS = 10
MOST_ISSUES = 20


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint as its address names it; `host` narrows the calls of pages, empty: any."""

    method: str
    route: str
    host: str = ""


@dataclass(frozen=True, slots=True)
class Routes:
    """The routes of an endpoint by side: its own where a side has it, else those of the same shape."""

    server: tuple[str, ...]
    page: tuple[str, ...]
    hosts: tuple[str, ...]
    """Hosts that pages called."""
    methods: tuple[str, ...]
    """All methods of the path, the most called first."""

    def of(self, side: Side) -> tuple[str, ...]:
        return self.server if side == "server" else self.page

    def only(self, side: Side) -> "Routes":
        return replace(self, page=()) if side == "server" else replace(self, server=())


@dataclass(frozen=True, slots=True)
class CallFigures(Calls):
    p99_ms: float | None


NO_CALLS = CallFigures(0, 0, 0, 0, None, None, None, None, None)


@dataclass(frozen=True, slots=True)
class SideFigures:
    """The figures of a side in the period and in the one before it."""

    side: Side
    now: CallFigures
    before: CallFigures

    @property
    def is_comparable(self) -> bool:
        """Whether both periods have enough calls: a change from a few says more about chance."""
        return min(self.now.call_count, self.before.call_count) >= FEWEST_TO_COMPARE

    def change(self, name: str) -> float | None:
        """A figure vs the previous period, 0.1: a tenth more. None without a figure to compare with, and from
        a count under 20: two errors more than one are no 200%."""
        own, other = getattr(self.now, name), getattr(self.before, name)
        is_few = name.endswith("_count") and other < FEWEST_TO_COMPARE
        if own is None or not other or is_few or not self.is_comparable:
            return None
        return float(own / other - 1)


@dataclass(frozen=True, slots=True)
class CallStep:
    start: datetime
    figures: CallFigures

    @property
    def p50(self) -> float | None:
        return self.figures.p50_ms

    @property
    def p75(self) -> float | None:
        return self.figures.p75_ms

    @property
    def p95(self) -> float | None:
        return self.figures.p95_ms


@dataclass(frozen=True, slots=True)
class CallingPage:
    """A page whose loads call the endpoint."""

    page: str
    load_count: int
    calling_count: int
    """Loads with a call."""
    call_count: int
    error_count: int
    duration_ms: float
    time_ms: Percentiles
    """Of the time that a load with calls spends in them; calls at the same time add up."""

    @property
    def calling_ratio(self) -> float:
        return self.calling_count / self.load_count if self.load_count else 0.0

    @property
    def calls_per_load(self) -> float:
        """Of loads with calls."""
        return self.call_count / self.calling_count if self.calling_count else 0.0


@dataclass(frozen=True, slots=True)
class SlowCall:
    """`view_id` is empty where no page load is known that made the call; so are the facts of that load."""

    occurred_at: datetime
    path: str
    host: str
    status_code: int
    duration_ms: float
    environment: str
    release: str
    server: str
    trace_id: str
    view_id: str
    page: str
    device: str
    browser: str
    view_received_at: datetime | None
    view_trace_id: str


@dataclass(frozen=True, slots=True)
class EndpointIssue:
    """`traced_count` of its events have the trace of a recorded call, `named_count` name the transaction; the
    others name the URL."""

    issue_id: str
    title: str
    culprit: str
    level: str
    event_count: int
    user_count: int
    traced_count: int
    named_count: int
    last_seen: datetime


def find_endpoint(
    warehouse: Warehouse, filters: Filters, method: str, route: str, host: str = ""
) -> tuple[Endpoint, Routes]:
    """An endpoint that was called in the period or the one before it; without a method, that of the most
    called one."""
    parameters = {
        **filters.parameters_of_days,
        "since": filters.range.before.date(),
        "route": route,
        "shape": shape(route).rstrip("/"),
        "pattern": path_pattern(route),
    }
    rows = warehouse.rows(sql.query("routes_of_endpoint"), parameters)
    own = {row["called_side"] for row in rows if row["called_route"] == route}
    kept = [row for row in rows if row["called_route"] == route or row["called_side"] not in own]
    calls: dict[str, int] = {}
    for row in kept:
        calls[row["called_method"]] = calls.get(row["called_method"], 0) + row["calls"]
    methods = sorted(calls, key=lambda one: (-calls[one], one))
    endpoint = Endpoint(method or next(iter(methods), ""), route, host)
    meant = [row for row in kept if row["called_method"] == endpoint.method]
    server, page = (
        tuple(dict.fromkeys(row["called_route"] for row in meant if row["called_side"] == side))
        for side in SIDES
    )
    hosts = {name for row in meant for name in row["hosts"]}
    return endpoint, Routes(server, page, tuple(sorted(hosts)), tuple(methods))


def sides(warehouse: Warehouse, filters: Filters, endpoint: Endpoint, routes: Routes) -> Result[SideFigures]:
    """The sides with calls in the period, that of servers first. They are never added up."""
    chosen = filters.range
    is_own = _is_of(endpoint, routes)
    rows = _over_time(warehouse, filters, is_own, chosen.before, chosen.since, "period")
    told = {(row["called_side"], bool(row["is_before"])): CallFigures(**calls_of(row)) for row in rows}
    found = [
        SideFigures(side, told[side, False], told.get((side, True), NO_CALLS))
        for side in SIDES
        if (side, False) in told
    ]
    asked = {**filters.parameters_of_days, "before": chosen.before}
    return Result(found, last_build(warehouse, asked, DAYS, HOURS).as_of)


def steps(
    warehouse: Warehouse, filters: Filters, endpoint: Endpoint, routes: Routes, side: Side
) -> Result[CallStep]:
    """Every step of the period, the oldest first; steps without calls have no durations."""
    chosen = filters.range
    since = chosen.trend_since
    told = _steps(warehouse, filters, _is_of(endpoint, routes.only(side)), side, since)
    found = [CallStep(start, told.get(start, NO_CALLS)) for start in chosen.trend_starts(told)]
    asked = {**filters.parameters_of_days, "since": since}
    return Result(found, last_build(warehouse, asked, DAYS, HOURS).as_of)


def steps_of_all(warehouse: Warehouse, filters: Filters) -> dict[datetime, CallFigures]:
    """Calls of all endpoints as servers measured them, by the start of each step of the period that has
    any."""
    return _steps(warehouse, filters, ALWAYS, "server", filters.range.trend_since)


def _steps(
    warehouse: Warehouse, filters: Filters, is_chosen: Condition, side: Side, since: datetime
) -> dict[datetime, CallFigures]:
    rows = _over_time(warehouse, filters, is_chosen, since, since, filters.range.trend_step)
    return {
        utc(row["bucket_start"]): CallFigures(**calls_of(row)) for row in rows if row["called_side"] == side
    }


def _is_of(endpoint: Endpoint, routes: Routes) -> Condition:
    return sql.part("is_of_endpoint").expression(
        Condition,
        method=endpoint.method,
        server_routes=routes.server,
        page_routes=routes.page,
        host=endpoint.host,
    )


def calling_pages(
    warehouse: Warehouse, filters: Filters, endpoint: Endpoint, routes: Routes
) -> Result[CallingPage]:
    """Pages whose loads call the endpoint, those with most calls first."""
    rows, as_of = _of_raw_calls(
        warehouse,
        "pages_of_endpoint",
        {
            **filters.parameters,
            "since": filters.range.since,
            "until": filters.range.until,
            "method": endpoint.method,
            "page_routes": list(routes.page),
            "host": endpoint.host,
        },
    )
    found = [
        CallingPage(
            page=row["page_name"],
            load_count=row["loads"],
            calling_count=row["calling_loads"],
            call_count=row["calls"],
            error_count=row["errors"],
            duration_ms=row["duration_ms"],
            time_ms=Percentiles(*row["percentiles"]),
        )
        for row in rows
    ]
    return Result(found, as_of)


def slowest_calls(
    warehouse: Warehouse, filters: Filters, endpoint: Endpoint, routes: Routes, side: Side
) -> Result[SlowCall]:
    """The slowest calls of a side. A call that a server answered belongs to the page load whose call it names
    as its parent."""
    rows, as_of = _of_raw_calls(
        warehouse,
        "slowest_calls",
        {
            **filters.parameters_of_days,
            "since": filters.range.since,
            "until": filters.range.until,
            "side": side,
            "method": endpoint.method,
            "routes": list(routes.of(side)),
            "host": endpoint.host,
            "limit": MOST_CALLS,
        },
    )
    return Result([_slow_call(row) for row in rows], as_of)


def issues_of_endpoint(
    warehouse: Warehouse, filters: Filters, endpoint: Endpoint, routes: Routes
) -> list[EndpointIssue]:
    """Issues whose events name the endpoint: by transaction, or by method and URL. As of now."""
    names = {route for route in (*routes.server, endpoint.route) if route not in ("", "/")}
    parameters = {
        **filters.parameters_of_days,
        "since": filters.range.since,
        "until": filters.range.until,
        "names": sorted(names | {f"{endpoint.method} {name}" for name in names}),
        "method": endpoint.method,
        "path": path_pattern(endpoint.route),
        "server_routes": list(routes.server),
        "limit": MOST_ISSUES,
    }
    statement = sql.query("issues_of_endpoint").at(is_kept=kept_events(warehouse, filters.projects))
    return [
        EndpointIssue(
            issue_id=f"{row['issue_id']:016x}",
            title=row["title"],
            culprit=row["culprit"],
            level=row["level"],
            event_count=row["events"],
            user_count=row["users"],
            traced_count=row["traced"],
            named_count=row["named"],
            last_seen=utc(row["last_seen"]),
        )
        for row in warehouse.rows(statement, parameters)
    ]


def path_pattern(route: str) -> str:
    """A pattern of the paths of a route; empty for a route that is a name and no path."""
    if not route.startswith("/"):
        return ""
    segments = route.rstrip("/").split("/")
    return "^" + "/".join(_segment_pattern(segment) for segment in segments) + "/?$"


def _segment_pattern(segment: str) -> str:
    fixed = PARAMETER_OF_ROUTE.split(segment)
    return "[^/]+".join(re.escape(text) for text in fixed)


def _over_time(
    warehouse: Warehouse,
    filters: Filters,
    is_chosen: Condition,
    before: datetime,
    since: datetime,
    bucket: str,
) -> list[Row]:
    until = filters.range.until
    is_by_hour = bucket == "hour"
    days = _every_day(before, filters.range) if is_by_hour else begun_days(before, since, until)
    parameters = {
        **filters.parameters_of_days,
        "before": before,
        "since": since,
        "until": until,
        "days_of_hours": days,
        "bucket": bucket,
    }
    return warehouse.rows(sql.query("endpoint_over_time").at(is_chosen=is_chosen), parameters)


def _every_day(since: datetime, chosen: TimeRange) -> list[date]:
    # A client's clock may be ahead.
    count = (chosen.last_day - since.date()).days + 2
    return [since.date() + timedelta(days=number) for number in range(count)]


def _of_raw_calls(
    warehouse: Warehouse, question: str, parameters: dict[str, object]
) -> tuple[list[Row], datetime | None]:
    """Calls received before the last build, so that they agree with the figures of marts."""
    rows, build = once_a_build(
        warehouse,
        (question, repr(parameters)),
        parameters,
        (DAYS, LOADS),
        lambda read, build: read.rows(
            sql.query(question), {**parameters, "received_before": build.through or EPOCH}
        ),
    )
    return rows, build.as_of


def _slow_call(row: Row) -> SlowCall:
    has_view = bool(row["view_id"])
    return typed(
        SlowCall,
        row,
        server=row["server_name"] or row["service"],
        view_id=f"{row['view_id']:016x}" if has_view else "",
        view_received_at=utc(row["view_received_at"]) if has_view else None,
        view_trace_id=hex_or_empty(row["view_trace_id"]) if has_view else "",
    )
