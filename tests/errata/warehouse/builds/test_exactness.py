"""Whatever is delivered, repeated, late or ahead, and whenever builds run, counts equal a recount."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from errata.warehouse.builds.build import build
from errata.warehouse.builds.lease import Pace
from errata.warehouse.builds.marts import VARIANT_DAILY, VARIANT_HOURLY
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.builders import Row, an_error_event, insert
from tests.processes import WarehouseProcess

FAST = Pace(lag=timedelta(0), settle=timedelta(milliseconds=100))
COUNTS = """
    select
        variant_hash, environment, sum(event_count) as event_count, uniqMerge(users_state) as user_count,
        min(first_occurred_at) as first, max(last_occurred_at) as last
    from errata_read.variant_counts(
        projects = {projects:Array(UInt32)}, since = {since:DateTime('UTC')}, by_hour = {by_hour:Bool})
    group by variant_hash, environment
    order by variant_hash, environment
"""


def recounted(rows: Sequence[Row], since: datetime) -> list[Row]:
    """Brute force over what was delivered, in the order of delivery."""
    firsts: dict[Any, Row] = {}
    for row in rows:
        firsts.setdefault(row["item_id"], row)
    groups: dict[tuple[int, str], list[Row]] = {}
    for row in firsts.values():
        if row["occurred_at"] >= since:
            groups.setdefault((row["variant_hash"], row["environment"]), []).append(row)
    return [
        {
            "variant_hash": variant_hash,
            "environment": environment,
            "event_count": len(group),
            "user_count": len({row["user_hash"] for row in group} - {0}),
            "first": min(row["occurred_at"] for row in group).replace(tzinfo=None),
            "last": max(row["occurred_at"] for row in group).replace(tzinfo=None),
        }
        for (variant_hash, environment), group in sorted(groups.items())
    ]


def some_events(random_: random.Random, now: datetime, count: int) -> list[Row]:
    """Of this hour, late by hours and days, ahead of the clock, of another year."""
    ages = [
        lambda: timedelta(seconds=random_.uniform(0, 600)),
        lambda: timedelta(hours=random_.uniform(0, 60)),
        lambda: timedelta(days=random_.choice([3, 9, 30])),
        lambda: -timedelta(minutes=random_.uniform(0, 90)),
        lambda: -timedelta(days=random_.choice([1, 2, 400])),
    ]
    return [
        an_error_event(
            variant_hash=random_.randrange(1, 6),
            environment=random_.choice(["production", "staging"]),
            user_hash=random_.choice([0, 11, 12, 13, 14]),
            occurred_at=(now - random_.choices(ages, [6, 3, 3, 1, 1])[0]()).replace(
                microsecond=random_.randrange(1000) * 1000
            ),
        )
        for _ in range(count)
    ]


def assert_exact(read: Warehouse, delivered: Sequence[Row], now: datetime) -> None:
    hour = now.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    for since, by_hour in [
        (hour - timedelta(hours=24), True),
        (hour, True),
        (day - timedelta(days=14), False),
        (day - timedelta(days=1), False),
        (day - timedelta(days=90), False),
    ]:
        rows = read.rows(COUNTS, {"projects": [7], "since": since, "by_hour": by_hour})
        assert rows == recounted(delivered, since)


def build_both(warehouse: Warehouse) -> None:
    build(warehouse, VARIANT_HOURLY, FAST)
    build(warehouse, VARIANT_DAILY, FAST)


@pytest.mark.parametrize("seed", [1, 2])
def test_counts_equal_a_recount_before_between_and_after_builds(
    warehouse: WarehouseProcess, seed: int
) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    random_, now = random.Random(seed), datetime.now(UTC)
    delivered: list[Row] = []

    def deliver(rows: list[Row]) -> None:
        insert(ingest, "errata_raw.error_events", rows)
        delivered.extend(rows)
        assert_exact(read, delivered, now)

    for step in range(4):
        fresh = some_events(random_, now, 60)
        deliver(fresh)
        deliver(random_.sample(fresh, 30))
        if step % 2:
            build(builder, VARIANT_HOURLY, FAST)
            assert_exact(read, delivered, now)
            deliver(random_.sample(delivered, 50))
        else:
            build_both(builder)
            _let_bound_take_hold(warehouse)
        assert_exact(read, delivered, now)
        deliver(random_.sample(delivered, 50))
    build_both(builder)
    assert_exact(read, delivered, now)
    deliver(list(delivered))
    build_both(builder)
    _let_bound_take_hold(warehouse)
    assert_exact(read, delivered, now)
    other = read.rows(COUNTS, {"projects": [8], "since": now - timedelta(days=90), "by_hour": False})
    assert other == []


def _let_bound_take_hold(warehouse: WarehouseProcess) -> None:
    """As if the builds so far had finished long ago: readers then skip raw rows before their watermark."""
    admin = warehouse.client(Role.ADMIN)
    admin.execute(
        "insert into errata_ops.build_watermarks "
        "select * replace (finished_at - interval 2 minute as finished_at) from errata_ops.build_watermarks"
    )
    admin.close()
