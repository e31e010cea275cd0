"""What is evaluated from marts equals a recomputation, in Python, from the rows as they were stored."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest

from errata.budgets import histories
from errata.budgets.evaluation import evaluations, outcomes
from errata.budgets.histories import Histories
from errata.budgets.history import History
from errata.budgets.limit import STEP_HOURS, Limit, limit_of
from errata.budgets.reason import Reason
from errata.budgets.state import Evaluation, State
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.roles import Role
from tests.builders import insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

Row = dict[str, Any]
NOW = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
UNTIL = datetime.fromtimestamp(NOW.timestamp() // 43_200 * 43_200, UTC)
DAYS = 1
PAGES = ("/", "/checkout/{id}", "/checkout/pay", "/100%_done")
SIZES = ("script", "style", "image", "font", "api")


@pytest.fixture(scope="module")
def random_() -> random.Random:
    return random.Random(20261121)


def views(random_: random.Random) -> Iterator[tuple[Row, list[Row]]]:
    """Skewed loads with a slow day among them, some of other kinds, and what each loaded."""
    for number in range(1, 1200):
        at = UNTIL - timedelta(days=DAYS) * random_.random() ** 1.3
        slow = 2.0 if timedelta(hours=6) < UNTIL - at < timedelta(hours=15) else 1.0
        started = at.timestamp() * 1000
        load = random_.lognormvariate(7.2, 0.6) * slow
        view: Row = {
            "project_id": 7,
            "view_id": number,
            "occurred_at": at,
            "item_id": UUID(int=number),
            "is_load": True,
            "trace_id": UUID(int=number),
            "navigation_type": random_.choices(["navigate", "soft-navigation"], [9, 1])[0],
            "page": random_.choice(PAGES),
            "environment": random_.choice(["production", "staging"]),
            "device": random_.choice(["desktop", "mobile"]),
            "started_at_ms": started,
            "load_at_ms": started + load,
            "lcp_ms": round(load * 0.7, 3),
            "cls": round(random_.random() / 3, 4),
            "resource_intervals": [],
            "call_ms": [round(random_.expovariate(0.01), 3) for _ in range(random_.randrange(3))],
        }
        files = [
            {
                "project_id": 7,
                "view_id": number,
                "occurred_at": at,
                "item_id": UUID(int=number * 100 + position),
                "type": random_.choice(SIZES),
                "transfer_bytes": random_.choice([0, 900]),
                "body_bytes": random_.choice([0, 20_000, 90_000]),
            }
            for position in range(random_.choice([0, 3, 6]))
        ]
        yield view, files


def calls(random_: random.Random) -> Iterator[Row]:
    for number in range(1, 1500):
        at = UNTIL - timedelta(days=DAYS) * random_.random()
        yield {
            "project_id": 7,
            "side": random_.choice(["server", "page"]),
            "route": random_.choice(["/orders", "/orders/{id}", "/users"]),
            "method": random_.choice(["GET", "POST"]),
            "occurred_at": at,
            "item_id": UUID(int=number),
            "status_code": random_.choice([0, 200, 200, 200, 404, 500]),
            "duration_ms": round(random_.expovariate(0.01), 3),
            "environment": "production",
        }


def a_busy_hour(random_: random.Random) -> list[Row]:
    """More loads than a cell keeps as they are, in another project; and a few in the hour before."""
    names = ("is_load", "navigation_type", "page", "started_at_ms")
    return [
        {
            **dict(zip(names, (True, "navigate", "/busy", 0.0), strict=True)),
            "project_id": 8,
            "view_id": number,
            "trace_id": UUID(int=number),
            "occurred_at": UNTIL - timedelta(minutes=30 if number > 40 else 90),
            "item_id": UUID(int=number),
            "lcp_ms": round(random_.lognormvariate(7, 1), 3),
        }
        for number in range(1, 1600)
    ]


BUSY = a_busy_hour(random.Random(1))


KEPT = [Limit("lcp_ms", "p75", 1500, window_hours=6, least_samples=5), Limit("server_ms", "p95", 280)]


@dataclass
class Stored:
    read: Warehouse
    views: list[tuple[Row, list[Row]]]
    calls: list[Row]
    histories: Histories
    """Of KEPT, looked at after every build."""


@pytest.fixture
def stored(warehouse: WarehouseProcess, random_: random.Random) -> Iterator[Stored]:
    """Delivered in two parts, some of it twice, with builds between; some vitals come last of all."""
    found, called = list(views(random_)), list(calls(random_))
    ingest, read, histories = warehouse.client(Role.INGEST), warehouse.client(Role.READ), Histories()
    for part in (slice(0, 700), slice(600, None)):
        insert(ingest, "errata_raw.page_views", (without_vitals(view) for view, _ in found[part]))
        insert(ingest, "errata_raw.page_resources", (one for _, files in found[part] for one in files))
        insert(ingest, "errata_raw.requests", called[part])
        build_marts(warehouse, "page_metrics_hourly", "endpoint_metrics_hourly")
        histories.all(read, 7, KEPT)
    insert(ingest, "errata_raw.page_views", BUSY)
    insert(ingest, "errata_raw.page_views", (later_vitals(view) for view, _ in found if is_later(view)))
    build_marts(warehouse, "page_metrics_hourly")
    ingest.close()
    yield Stored(read, found, called, histories)
    read.close()


def is_later(view: Row) -> bool:
    """Its LCP comes in a part of its own, when the view was built already."""
    return bool(view["view_id"] % 7 == 0)


def without_vitals(view: Row) -> Row:
    return {name: value for name, value in view.items() if name != "lcp_ms"} if is_later(view) else view


def later_vitals(view: Row) -> Row:
    item_id = UUID(int=10**9 + view["view_id"])
    names = ("project_id", "view_id", "occurred_at", "trace_id", "lcp_ms")
    return {**{name: view[name] for name in names}, "item_id": item_id, "is_load": False}


def percentile(values: list[float], level: float) -> float:
    """Linear between the two nearest."""
    rank = (len(values) - 1) * level
    low = int(rank)
    ordered = sorted(values)
    high = ordered[min(low + 1, len(ordered) - 1)]
    return ordered[low] + (high - ordered[low]) * (rank - low)


def recomputed(samples: list[tuple[datetime, float]], limit: Limit, at: datetime) -> tuple[int, float | None]:
    inside = [value for moment, value in samples if at - limit.window <= moment < at]
    if not inside:
        return 0, None
    level = limit.level
    return len(inside), percentile(inside, level) if level else sum(inside) / len(inside)


def assert_equal(read: Warehouse, limit: Limit, samples: list[tuple[datetime, float]]) -> None:
    found = evaluations(read, 7, limit, UNTIL - timedelta(days=DAYS), UNTIL)
    ends = [each.at for each in found]
    assert ends[-1] == UNTIL and {later - end for end, later in pairwise(ends)} == {
        timedelta(hours=STEP_HOURS[limit.window_hours])
    }
    for each in found:
        count, value = recomputed(samples, limit, each.at)
        assert each.sample_count == count
        assert each.value == (None if value is None else pytest.approx(value, rel=1e-9, abs=1e-6))
    assert len({each.outcome for each in found}) > 1


def load_ms(view: Row) -> float:
    return round(float(view["load_at_ms"]) - float(view["started_at_ms"]), 3)


def weight(kind: str) -> Callable[[list[Row]], float]:
    return lambda files: float(
        sum(one["body_bytes"] or one["transfer_bytes"] for one in files if one["type"] == kind)
    )


@pytest.mark.slow
def test_every_window_equals_a_recomputation_on_the_same_rows(
    stored: Stored, warehouse: WarehouseProcess
) -> None:
    read, found, called = stored.read, stored.views, stored.calls
    loads = [(view, files) for view, files in found if view["navigation_type"] == "navigate"]

    load = Limit("load_ms", "p75", 2200, window_hours=24, least_samples=200)
    assert_equal(read, load, [(view["occurred_at"], load_ms(view)) for view, _ in loads])

    narrow = Limit("lcp_ms", "p95", 2500, "/checkout/*", "production", "mobile", 6, 3)
    chosen = [
        view
        for view, _ in loads
        if view["page"].startswith("/checkout/")
        and (view["environment"], view["device"]) == ("production", "mobile")
    ]
    assert_equal(read, narrow, [(view["occurred_at"], view["lcp_ms"]) for view in chosen])

    scripts = Limit("script_bytes", "p75", 25_000, "/100%_*", window_hours=168, least_samples=50)
    sizes = [
        (view["occurred_at"], weight("script")(files))
        for view, files in loads
        if files and view["page"] == "/100%_done"
    ]
    assert_equal(read, scripts, sizes)

    mean = Limit("api_ms", "mean", 100, window_hours=1, least_samples=5)
    assert_equal(read, mean, [(view["occurred_at"], ms) for view, _ in loads for ms in view["call_ms"]])

    slow = Limit("server_ms", "p95", 280, "POST /orders*", window_hours=6, least_samples=5)
    posted = [
        (call["occurred_at"], call["duration_ms"])
        for call in called
        if call["side"] == "server" and call["method"] == "POST" and call["route"].startswith("/orders")
    ]
    assert_equal(read, slow, posted)

    errors = Limit("call_error_ratio", "ratio", 0.33, window_hours=24, least_samples=150)
    failed = [
        (call["occurred_at"], float(call["status_code"] >= 400)) for call in called if call["side"] == "page"
    ]
    assert_equal(read, errors, failed)

    # What was kept from before a build of the last day alone is what is looked at afresh.
    assert stored.histories.all(read, 7, KEPT)[0].known_count > 10
    late = {**BUSY[0], "project_id": 7, "item_id": UUID(int=10**10), "lcp_ms": 60_000.0}
    insert(warehouse.client(Role.INGEST), "errata_raw.page_views", [late])
    build_marts(warehouse, "page_metrics_hourly")
    assert stored.histories.all(read, 7, KEPT) == Histories().all(read, 7, KEPT)

    for level in (50, 75, 95):
        busy = evaluations(read, 8, Limit("lcp_ms", f"p{level}", 9), UNTIL - timedelta(hours=3), UNTIL)
        exact = percentile([view["lcp_ms"] for view in BUSY], level / 100)
        assert busy[-1].sample_count == 1599
        assert busy[-1].value == pytest.approx(exact, rel=0.01)
        few = percentile([view["lcp_ms"] for view in BUSY[:40]], level / 100)
        assert busy[-2].sample_count == 40
        assert busy[-2].value == pytest.approx(few, rel=1e-9)


def loads_told_too_early() -> Iterator[Row]:
    """Of 120 loads of half a second each, 12 had not ended after 900 ms."""
    at = UNTIL - timedelta(minutes=30)
    for number in range(1, 121):
        ended = {"load_at_ms": 500.0} if number > 12 else {"duration_ms": 900.0}
        yield {
            **{"project_id": 9, "view_id": number, "trace_id": UUID(int=number), "item_id": UUID(int=number)},
            **{"is_load": True, "navigation_type": "navigate", "page": "/", "started_at_ms": 0.0},
            **{"occurred_at": at, "ttfb_ms": 50.0, "user_hash": number, **ended},
        }


@pytest.mark.slow
def test_loads_that_had_not_ended_break_a_limit_but_never_keep_it(warehouse: WarehouseProcess) -> None:
    insert(warehouse.client(Role.INGEST), "errata_raw.page_views", loads_told_too_early())
    build_marts(warehouse, "page_metrics_hourly")

    def last(statistic: str, threshold: float) -> Evaluation:
        limit = Limit("load_ms", statistic, threshold, window_hours=1)
        return evaluations(warehouse.client(Role.READ), 9, limit, UNTIL - timedelta(hours=1), UNTIL)[-1]

    assert last("p75", 600).outcome is State.KEPT
    assert last("p95", 600).outcome is State.BREACHED
    undecided = last("p95", 1000)
    assert (undecided.outcome, undecided.value, undecided.largest) == (State.UNKNOWN, 900, None)
    assert History([undecided], datetime.now(UTC)).reason is Reason.UNENDED_LOADS
    # Their mean has no bound.
    assert last("mean", 800).outcome is State.UNKNOWN


def loads_of_a_bot_and_others() -> Iterator[Row]:
    """140 people with a load each, faster than 900 ms, and 60 slow loads of one bot, over two hours."""
    for number in range(1, 201):
        yield {
            **{"project_id": 9, "view_id": number, "trace_id": UUID(int=number), "item_id": UUID(int=number)},
            **{"is_load": True, "navigation_type": "navigate", "page": "/", "started_at_ms": 0.0},
            "occurred_at": UNTIL - timedelta(minutes=30 + 60 * (number % 2)),
            "lcp_ms": 200.0 + number * 5 if number <= 140 else 4000.0,
            "user_hash": number if number <= 140 else 1_000_000,
        }


def calls_of_a_job_and_others() -> Iterator[Row]:
    """100 calls that failed in one trace of a job, and 100 of as many traces that did not."""
    for number in range(1, 201):
        yield {
            **{"project_id": 9, "side": "server", "route": "/", "method": "GET", "item_id": UUID(int=number)},
            **{"occurred_at": UNTIL - timedelta(minutes=30), "duration_ms": 5.0},
            "status_code": 500 if number <= 100 else 200,
            "trace_id": UUID(int=1 if number <= 100 else number),
        }


@pytest.mark.slow
def test_one_bot_or_job_decides_nothing(warehouse: WarehouseProcess) -> None:
    insert(warehouse.client(Role.INGEST), "errata_raw.page_views", loads_of_a_bot_and_others())
    insert(warehouse.client(Role.INGEST), "errata_raw.requests", calls_of_a_job_and_others())
    build_marts(warehouse, "page_metrics_hourly", "endpoint_metrics_hourly")
    read = warehouse.client(Role.READ)

    def last(limit: Limit) -> Evaluation:
        return evaluations(read, 9, limit, UNTIL - timedelta(hours=1), UNTIL)[-1]

    few = last(Limit("lcp_ms", "p75", 2000))
    assert (few.sample_count, few.value, few.outcome, few.doubt) == (200, 4000, "unknown", "few_users")
    assert few.independent_count == pytest.approx(200**2 / (60**2 + 140), abs=1.5)
    assert few.largest_ratio == pytest.approx(0.3, abs=0.02)
    # With a lower minimum it may be chance that so many loads are slow, but not that all are over 400 ms.
    chance = last(Limit("lcp_ms", "p75", 2000, least_samples=5))
    assert (chance.outcome, chance.doubt) == ("unknown", "within_chance")
    assert last(Limit("lcp_ms", "p75", 400, least_samples=5)).outcome == "breached"
    assert last(Limit("lcp_ms", "mean", 1500, least_samples=5)).doubt == "within_chance"
    assert last(Limit("lcp_ms", "mean", 100, least_samples=5)).outcome == "breached"

    job = last(Limit("server_error_ratio", "ratio", 0.2))
    assert (job.value, job.outcome, job.doubt) == (0.5, "unknown", "few_users")
    assert job.independent_count == pytest.approx(200**2 / (100**2 + 100 + 200), abs=1)
    read.close()


def test_a_limit_is_kept_as_it_was_given() -> None:
    limit = limit_of({"metric": "lcp_ms", "statistic": "p90", "threshold": 2500, "pattern": " /a* "})
    assert limit == Limit("lcp_ms", "p90", 2500.0, "/a*")
    assert limit_of(limit.as_condition()) == limit
    assert limit_of({"metric": "server_error_ratio", "threshold": 0.01}).statistic == "ratio"
    assert replace(limit, pattern="POST /orders").method_and_route == ("POST", "/orders")


@pytest.mark.slow
def test_a_budget_that_cannot_be_looked_at_says_so_and_costs_the_others_nothing(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, *others = KEPT

    def failing(warehouse: Warehouse, project_id: int, limit: Limit, *span: Any) -> Any:
        if limit == broken:
            raise QueryFailed("out of memory", 241)
        return outcomes(warehouse, project_id, limit, *span)

    monkeypatch.setattr(histories, "outcomes", failing)
    told = Histories().all(stored.read, 7, KEPT)
    assert (told[0].reason, told[0].standing) == ("failed", "unknown")
    assert told[1:] == Histories().all(stored.read, 7, others)
    with pytest.raises(QueryFailed):
        Histories().one(stored.read, 7, broken)
