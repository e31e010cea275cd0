"""Builds in a process of their own, to be killed, and the numbers that must not care."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from pipelines.builder.lease import Pace
from tests.builders import Row, an_error_event

# A dead builder's lease runs out soon; the rest is as in service.
BRISK = Pace(
    lag=timedelta(0),
    lifetime=timedelta(seconds=6),
    settle=timedelta(milliseconds=200),
    wait=timedelta(seconds=60),
)
# What the issue list is answered from.
MARTS_OF_ISSUES = (
    *("variant_hourly", "repeated_events", "variant_daily", "variant_totals", "variant_releases"),
    *("issues", "issue_totals"),
)
# For builds that are to die: nobody waits long for a dead one's lease.
MORTAL = replace(BRISK, lifetime=timedelta(seconds=2))
ENDLESS = """
import sys
from errata.errors import ErrataError
from pipelines.builder.due import build_due
from errata.warehouse.client import Warehouse
from tests.warehouse_builds import MORTAL
warehouse = Warehouse(sys.argv[1])
print("ready", flush=True)
while True:
    try:
        list(build_due(warehouse, sys.argv[2:], MORTAL))
    except ErrataError:
        continue
"""
PARTITIONS = """
    select distinct table, partition_id from system.parts where database = 'errata_mart' and active
    order by table, partition_id
"""
UNPUBLISHED = """
    select distinct table, partition_id
    from system.parts
    where
        database = 'errata_mart'
        and active
        and match(partition_id, '[0-9]{15,}$')
        and toUInt64(extract(partition_id, '[0-9]+$')) not in (
            select arrayJoin(partitions.version) from errata_ops.builds
        )
"""
LAST_BUILDS = "select mart, max(number) as number from errata_ops.builds group by mart order by mart"
# Events and users of variants as of this very moment.
VARIANT_COUNTS = f"({sql.part('variant_counts')})"
COUNTS = f"""
    select
        variant_hash, environment, sum(event_count) as event_count, uniqMerge(users_state) as user_count,
        min(first_occurred_at) as first, max(last_occurred_at) as last
    from {VARIANT_COUNTS}
    group by variant_hash, environment
    order by variant_hash, environment
    settings enable_materialized_cte = 1
"""


def endless_builds(url: str, *marts: str) -> "subprocess.Popen[bytes]":
    """Builds again and again, until killed; returns when it begins."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, url, *(marts or ("variant_hourly", "variant_daily"))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def wait_for_a_build(warehouse: Warehouse, random_: random.Random) -> None:
    """Until one writes rows, or, as often, one is published; and a moment more."""
    statement = random_.choice([PARTITIONS, LAST_BUILDS])
    before = warehouse.rows(statement)
    deadline = time.monotonic() + 15
    while warehouse.rows(statement) == before and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(random_.choice([0, 0, random_.uniform(0, 0.2)]))


def kill(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


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


def periods(now: datetime) -> list[tuple[datetime, bool]]:
    """Since when, and whether counted by hour."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    return [
        (hour - timedelta(hours=24), True),
        (hour, True),
        (day - timedelta(days=14), False),
        (day - timedelta(days=1), False),
        (day - timedelta(days=90), False),
    ]


def assert_exact(read: Warehouse, delivered: Sequence[Row], now: datetime, some: slice = slice(None)) -> None:
    for since, by_hour in periods(now)[some]:
        rows = read.rows(COUNTS, {"projects": [7], "since": since, "by_hour": by_hour})
        assert rows == recounted(delivered, since)
