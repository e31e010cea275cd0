"""Calls of API endpoints in a period: what a build counted, and what came in since."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.added_samples import with_added
from errata.warehouse.queries.built_days import BuildsAway, Counted, Through, days_built, is_built
from errata.warehouse.queries.call_edge import Call, call_edge
from errata.warehouse.queries.progress import Progress
from errata.warehouse.queries.remembered import Remembered

REACHES = (8, 256, 4096, 50_000)
Endpoint = tuple[str, str, str]
"""Host, method, route; all empty: together."""


@dataclass(frozen=True)
class AskedCalls:
    """Of whole days; empty texts mean all."""

    projects: tuple[int, ...]
    since: date
    side: str
    is_by_endpoint: bool
    environment: str = ""
    release: str = ""


@dataclass(frozen=True)
class BuiltCalls:
    as_of: datetime
    progress: Progress
    through: Through
    rows: Mapping[Endpoint, Row]


_built = Remembered[BuiltCalls](most=64)


def endpoint_metrics(warehouse: Warehouse, progress: Progress, asked: AskedCalls) -> Counted:
    """Raises BuildsAway."""
    came_since = cache(lambda read: call_edge(warehouse, asked.projects, read).calls())
    for reach in REACHES:
        built = _asked(warehouse, progress, asked, reach)
        added = _added(asked, [call for call in came_since(built.progress) if not _has(built, call)])
        if all(len(new) <= reach or not _is_exact(built, endpoint) for endpoint, new in added.items()):
            return Counted(_together(built, reach, added), built.as_of)
    raise BuildsAway


def _asked(warehouse: Warehouse, progress: Progress, asked: AskedCalls, reach: int) -> BuiltCalls:
    return _built.answer(
        (warehouse, asked, reach), progress.as_of, lambda: _ask(warehouse, progress, asked, reach)
    )


def _ask(warehouse: Warehouse, progress: Progress, asked: AskedCalls, reach: int) -> BuiltCalls:
    told = {
        "projects": list(asked.projects),
        "since": asked.since,
        "side": asked.side,
        "is_by_endpoint": asked.is_by_endpoint,
        "environment": asked.environment,
        "release": asked.release,
        "reach": reach,
    }
    scope = {"projects": list(asked.projects), "since": asked.since}
    with one_snapshot():
        rows = warehouse.rows(sql.query("endpoint_metrics_built"), told)
        through = days_built(warehouse, sql.query("endpoint_days_built"), scope)
    assert progress.as_of is not None
    found = {(row["called_host"], row["called_method"], row["called_route"]): row for row in rows}
    return BuiltCalls(progress.as_of, progress, through, found)


def _has(built: BuiltCalls, call: Call) -> bool:
    return is_built(call.received, call.day, built.progress, built.through)


def _is_exact(built: BuiltCalls, endpoint: Endpoint) -> bool:
    return endpoint in built.rows and bool(built.rows[endpoint]["is_exact"])


def _added(asked: AskedCalls, calls: Iterable[Call]) -> dict[Endpoint, list[Call]]:
    found: dict[Endpoint, list[Call]] = {}
    for call in calls:
        if (
            call.side == asked.side
            and call.day >= asked.since
            and asked.environment in ("", call.environment)
            and asked.release in ("", call.release)
        ):
            endpoint = (call.host, call.method, call.route) if asked.is_by_endpoint else ("", "", "")
            found.setdefault(endpoint, []).append(call)
    return found


def _together(built: BuiltCalls, reach: int, added: Mapping[Endpoint, Sequence[Call]]) -> list[Row]:
    rows = [
        _with(row, reach, added[endpoint]) if endpoint in added else row
        for endpoint, row in built.rows.items()
    ]
    rows += [
        _with(_nothing(endpoint), reach, calls)
        for endpoint, calls in added.items()
        if endpoint not in built.rows
    ]
    names = ("called_route", "called_method", "called_host")
    return sorted(rows, key=lambda row: (-row["calls"], *(row[name] for name in names)))


def _nothing(endpoint: Endpoint) -> Row:
    host, method, route = endpoint
    return {
        "called_host": host,
        "called_method": method,
        "called_route": route,
        "example": "",
        "example_at": 0,
        **dict.fromkeys(("calls", "successes", "client_errors", "server_errors"), 0),
        "duration_ms": 0.0,
        "is_exact": True,
        "around": ((), (), ()),
    }


def _with(row: Row, reach: int, calls: Sequence[Call]) -> Row:
    durations = [call.duration_ms for call in calls]
    percentiles = with_added(row["calls"], row["is_exact"], row["around"], reach, durations)
    if percentiles is None:
        raise BuildsAway
    examples = [(row["example_at"], row["example"]), *((call.occurred, call.path) for call in calls)]
    example_at, example = max(examples)
    return row | {
        "example": example,
        "example_at": example_at,
        "calls": row["calls"] + len(calls),
        "successes": row["successes"] + _count(calls, 100, 400),
        "client_errors": row["client_errors"] + _count(calls, 400, 500),
        "server_errors": row["server_errors"] + _count(calls, 500, 600),
        "duration_ms": round(row["duration_ms"] + sum(durations), 3),
        "percentiles": percentiles,
    }


def _count(calls: Iterable[Call], first: int, end: int) -> int:
    return sum(first <= call.status_code < end for call in calls)
