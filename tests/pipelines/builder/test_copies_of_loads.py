"""A page load, a call or a resource counts once per window, whatever moments its copies name and however
builds cut the windows."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from errata.performance.filters import Filters
from errata.period import Period
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.endpoints import endpoints
from errata.warehouse.roles import Role
from pipelines.builder import reading
from pipelines.builder.build import build
from pipelines.builder.data_checks import DataChecks
from pipelines.marts.registry import (
    ENDPOINT_METRICS_DAILY,
    ENDPOINT_METRICS_HOURLY,
    PAGE_LOADS,
    PAGE_METRICS_DAILY,
    PAGE_METRICS_HOURLY,
    RESOURCE_METRICS_DAILY,
    WEEKLY_TRENDS,
)
from tests.builders import Row, insert
from tests.mart_builds import FAST, in_marts, make_anew
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=30, second=0) - timedelta(hours=5)
RECEIVED = NOW - timedelta(hours=1)
POISONED, HEALTHY = 7, 8
BUILT = (
    PAGE_LOADS,
    PAGE_METRICS_DAILY,
    ENDPOINT_METRICS_DAILY,
    RESOURCE_METRICS_DAILY,
    PAGE_METRICS_HOURLY,
    ENDPOINT_METRICS_HOURLY,
    WEEKLY_TRENDS,
)
COUNTED = {
    "page_loads": ("hour", "countIf(navigation_type = 'navigate')"),
    "page_metrics_daily": ("toDateTime(day, 'UTC')", "sumIf(sample_count, metric = 'view')"),
    "page_metrics_hourly": ("hour", "sumIf(sample_count, metric = 'view')"),
    "endpoint_metrics_daily": ("toDateTime(day, 'UTC')", "sum(call_count)"),
    "endpoint_metrics_hourly": ("hour", "sum(call_count)"),
    "resource_metrics_daily": ("toDateTime(day, 'UTC')", "sumIf(resource_count, url = '')"),
    "weekly_trends": ("toDateTime(week, 'UTC')", "sumIf(sample_count, metric = 'view')"),
}
Delivered = dict[str, list[Row]]
Counts = dict[tuple[int, datetime], int]


def item(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def visit(project_id: int, number: int, at: datetime, received: Sequence[datetime]) -> Delivered:
    """A page load with a later part, a call and a resource, each received at a moment of its own."""
    view, part, call, resource = received
    begun = at.timestamp() * 1000
    own = {"project_id": project_id, "view_id": number}
    return {
        "page_views": [
            own
            | {
                **{"item_id": item(number), "occurred_at": at, "received_at": view, "is_load": True},
                **{"navigation_type": "navigate", "page": "/", "environment": "production"},
                **{"started_at_ms": begun, "load_at_ms": begun + number, "resource_intervals": []},
                **{"call_ms": [float(number)]},
            },
            own
            | {
                **{"item_id": item(number + 1), "occurred_at": at + timedelta(seconds=2)},
                **{"received_at": part, "lcp_ms": float(number), "call_ms": [3.0, 4.0]},
            },
        ],
        "page_resources": [
            own
            | {
                **{"item_id": item(number + 2), "occurred_at": at, "received_at": resource, "url": "/a.js"},
                **{"type": "script", "start_us": round(begun * 1000), "duration_ms": 5.0, "body_bytes": 9},
            }
        ],
        "requests": [
            {
                **{"project_id": project_id, "item_id": item(number + 3), "side": "server", "method": "GET"},
                **{"route": "/a", "occurred_at": at, "received_at": call, "status_code": 200},
                **{"duration_ms": float(number), "environment": "production"},
            }
        ],
    }


def together(*visits: Delivered) -> Delivered:
    return {
        table: [row for one in visits for row in one[table]]
        for table in ("page_views", "page_resources", "requests")
    }


def deliver(warehouse: WarehouseProcess, delivered: Delivered) -> None:
    ingest = warehouse.client(Role.INGEST)
    for table, rows in delivered.items():
        insert(ingest, f"errata_raw.{table}", rows)
    ingest.close()


def build_all(warehouse: WarehouseProcess, *, one_by_one: bool = False, lag: timedelta = FAST.lag) -> None:
    """`one_by_one`: an insert for each window, or else one for as many as go together."""
    client = warehouse.client(Role.BUILD)
    with pytest.MonkeyPatch.context() as patch:
        if one_by_one:
            patch.setattr(reading, "WINDOWS_AN_INSERT", 1)
        for mart in BUILT:
            build(client, mart, replace(FAST, lag=lag))
    client.close()


def day_of(row: Row) -> datetime:
    moment: datetime = row["occurred_at"]
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)


def hour_of(row: Row) -> datetime:
    moment: datetime = row["occurred_at"]
    return moment.replace(minute=0, second=0, microsecond=0, tzinfo=None)


def week_of(row: Row) -> datetime:
    day = day_of(row)
    return day - timedelta(days=day.weekday())


def counted(delivered: Delivered) -> dict[str, Counts]:
    """Brute force: an item counts once in each window that a copy of it names; a resource in each day of its
    view, if received within two days of the load."""
    loads = [row for row in delivered["page_views"] if row.get("is_load")]
    calls = delivered["requests"]
    first: dict[tuple[int, int, datetime], datetime] = {}
    for load in loads:
        key = load["project_id"], load["view_id"], day_of(load)
        first[key] = min(first.get(key, load["received_at"]), load["received_at"])
    of_days = {(one["project_id"], day_of(one), one["item_id"]): one for one in loads}
    resources = {
        (project_id, day, one["item_id"], view_id)
        for (project_id, view_id, day), received_at in first.items()
        for one in delivered["page_resources"]
        if (one["project_id"], one["view_id"]) == (project_id, view_id)
        and abs(one["received_at"] - received_at) <= timedelta(days=2)
    }
    of_hours = tally({(one["project_id"], hour_of(one), one["item_id"]) for one in loads})
    return {
        "page_loads": of_hours,
        "page_metrics_daily": tally(set(of_days)),
        "page_metrics_hourly": of_hours,
        "endpoint_metrics_daily": tally({(one["project_id"], day_of(one), one["item_id"]) for one in calls}),
        "endpoint_metrics_hourly": tally(
            {(one["project_id"], hour_of(one), one["item_id"]) for one in calls}
        ),
        "resource_metrics_daily": tally(resources),
        "weekly_trends": tally(
            {(project_id, week_of(one), (day, id_)) for (project_id, day, id_), one in of_days.items()}
        ),
    }


def tally(found: set[Any]) -> Counts:
    counts: Counts = {}
    for project_id, window, *_ in found:
        counts[project_id, window] = counts.get((project_id, window), 0) + 1
    return counts


def in_mart(warehouse: WarehouseProcess) -> dict[str, Counts]:
    admin = warehouse.client(Role.ADMIN)
    found = {
        mart: {
            (row["project_id"], row["window"]): row["count"]
            for row in admin.rows(
                f"select project_id, {window} as window, {count} as count from errata_mart.{mart} "
                "group by project_id, window having count > 0"
            )
        }
        for mart, (window, count) in COUNTED.items()
    }
    admin.close()
    return found


def assert_sound(warehouse: WarehouseProcess) -> None:
    client = warehouse.client(Role.BUILD)
    for mart in BUILT:
        assert [
            str(one) for one in DataChecks(client, mart).sums() if one.built_count != one.expected_count
        ] == []
        assert standing(client, mart.name) == []
    client.close()


def assert_counted(warehouse: WarehouseProcess, delivered: Delivered) -> None:
    assert in_mart(warehouse) == counted(delivered)
    assert_sound(warehouse)


def told(warehouse: WarehouseProcess, project_id: int) -> tuple[int, int]:
    """Views and calls that readers are told of the last 14 days."""
    read, filters = warehouse.client(Role.READ), Filters([project_id], Period("14d"), NOW)
    views = sum(row.view_count for row in page_views.pages(read, filters).rows)
    calls = sum(row.call_count for row in endpoints(read, filters).rows)
    read.close()
    return views, calls


def expected(delivered: Delivered, project_id: int) -> tuple[int, int]:
    counts = counted(delivered)
    views, calls = (
        sum(count for (project, _), count in counts[mart].items() if project == project_id)
        for mart in ("page_metrics_daily", "endpoint_metrics_daily")
    )
    return views, calls


def assert_told(warehouse: WarehouseProcess, delivered: Delivered) -> None:
    for project_id in (POISONED, HEALTHY):
        assert told(warehouse, project_id) == expected(delivered, project_id), project_id


def anew(warehouse: WarehouseProcess, *, one_by_one: bool) -> dict[str, str]:
    admin = warehouse.client(Role.ADMIN)
    for mart in BUILT:
        make_anew(admin, mart.name)
    admin.close()
    build_all(warehouse, one_by_one=one_by_one)
    return in_marts(warehouse, [mart.name for mart in BUILT])


APART = (timedelta(minutes=7), timedelta(hours=1), timedelta(days=3))
"""The same hour, the next one, another day."""


@pytest.mark.slow
def test_copies_with_two_moments_count_once_in_each_window(warehouse: WarehouseProcess) -> None:
    """In one batch, the later received first, and the earlier first."""
    delivered, again = together(), together()
    neighbor = visit(HEALTHY, 100, HOUR, [RECEIVED] * 4)
    orders = product(APART, ((timedelta(0), 1), (timedelta(seconds=20), 1), (timedelta(seconds=20), -1)))
    for number, (apart, (gap, order)) in enumerate(orders, 1):
        own, moments = 1000 * number, [HOUR, HOUR - apart][::order]
        first, second = (
            visit(POISONED, own, at, [RECEIVED + place * gap] * 4) for place, at in enumerate(moments)
        )
        beside = [
            visit(POISONED, own + 100 * place, at, [RECEIVED] * 4) for place, at in enumerate(moments, 1)
        ]
        delivered = together(delivered, first, second, *beside)
        again = together(again, *(visit(POISONED, own, at, [NOW] * 4) for at in moments[::-1]))
    delivered = together(delivered, neighbor)
    again = together(again, visit(HEALTHY, 100, HOUR, [NOW] * 4))
    deliver(warehouse, delivered)
    build_all(warehouse, lag=timedelta(minutes=30))
    assert_counted(warehouse, delivered)
    assert_told(warehouse, delivered)
    kept = in_marts(warehouse, [mart.name for mart in BUILT])
    assert anew(warehouse, one_by_one=True) == kept
    assert_sound(warehouse)
    # What comes later, again: no number moves.
    deliver(warehouse, again)
    build_all(warehouse)
    assert_counted(warehouse, together(delivered, again))
    assert in_mart(warehouse) == counted(delivered)
    assert_told(warehouse, delivered)


@pytest.mark.slow
def test_copies_of_what_a_build_has_count_with_the_next_one(warehouse: WarehouseProcess) -> None:
    numbers = [1000 * number for number in range(1, len(APART) + 1)]
    before = together(
        *(visit(POISONED, own + more, HOUR, [RECEIVED] * 4) for own in numbers for more in (0, 100)),
        visit(HEALTHY, 100, HOUR, [RECEIVED] * 4),
    )
    deliver(warehouse, before)
    build_all(warehouse, lag=timedelta(minutes=30))
    assert_told(warehouse, before)
    since = together()
    for own, apart in zip(numbers, APART, strict=True):
        since = together(
            since,
            visit(POISONED, own, HOUR - apart, [NOW] * 4),
            visit(POISONED, own + 200, HOUR, [NOW] * 4),
            visit(POISONED, own + 200, HOUR - apart, [NOW + timedelta(milliseconds=5)] * 4),
        )
    deliver(warehouse, since)
    delivered = together(before, since)
    build_all(warehouse)
    assert_counted(warehouse, delivered)
    assert_told(warehouse, delivered)


@pytest.mark.slow
def test_any_copies_count_as_a_recount_says_however_builds_cut_them(warehouse: WarehouseProcess) -> None:
    random_ = random.Random(1)
    delivered = together()
    for age in (4, 1):
        received = NOW - timedelta(days=age)
        batch = together(
            *(
                visit(
                    random_.choice([POISONED, POISONED, HEALTHY]),
                    10 * random_.randrange(1, 12),
                    HOUR - timedelta(minutes=random_.choice([0, 0, 7, 65, 3000])),
                    [received + timedelta(milliseconds=random_.choice([0, 0, 5])) for _ in range(4)],
                )
                for _ in range(20)
            )
        )
        for table, rows in batch.items():
            # Not all of a view comes in the same batch.
            batch[table] = [row for row in rows if random_.random() < 0.8]
            delivered[table] += batch[table]
        deliver(warehouse, batch)
        build_all(warehouse, lag=timedelta(days=age) - timedelta(minutes=1))
        assert_counted(warehouse, delivered)
    kept = in_marts(warehouse, [mart.name for mart in BUILT])
    assert anew(warehouse, one_by_one=True) == kept
    assert_counted(warehouse, delivered)


@pytest.mark.slow
def test_the_neighbor_has_its_own_days(warehouse: WarehouseProcess) -> None:
    """The same ids in both projects, at different moments."""
    days: list[date] = []
    for number in range(3):
        at = HOUR - timedelta(days=number)
        days.append(at.date())
        deliver(warehouse, together(visit(POISONED, 100, at, [RECEIVED] * 4)))
    neighbor = together(visit(HEALTHY, 100, HOUR - timedelta(days=1), [RECEIVED] * 4))
    deliver(warehouse, neighbor)
    build_all(warehouse)
    found = in_mart(warehouse)
    own = counted(neighbor)
    for mart, counts in found.items():
        assert {key: count for key, count in counts.items() if key[0] == HEALTHY} == own[mart], mart
    assert len([key for key in found["page_metrics_daily"] if key[0] == POISONED]) == len(days)
    assert_sound(warehouse)
