"""Weeks are merged from built days, and built again when one of those is."""

import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from api.ingest.item import Rows
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.marts.registry import WEEKLY_TRENDS
from tests.mart_builds import FAST, build_marts, make_anew
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
MONDAY = TODAY - timedelta(days=TODAY.weekday() + 14)


def a_load(at: datetime, load_ms: float, number: int) -> Rows:
    started = at.timestamp() * 1000
    return {
        "errata_raw.page_views": [
            {
                "project_id": 1,
                "view_id": number,
                "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}.000",
                "item_id": f"{number:032x}",
                "is_load": True,
                "navigation_type": "navigate",
                "page": "/",
                "release": f"shop@{number % 3}",
                "started_at_ms": started,
                "load_at_ms": started + load_ms,
            }
        ]
    }


def weeks(warehouse: WarehouseProcess) -> dict[date, dict[str, Any]]:
    client = warehouse.client(Role.ADMIN)
    rows = client.rows(
        "select week, sample_count, p50, p75, p95, change_ratio, "
        "quantilesTDigestMerge(0.5, 0.75, 0.95)(value_state) as digest "
        "from errata_mart.weekly_trends where metric = 'load_ms' group by all order by week"
    )
    client.close()
    return {row["week"]: row for row in rows}


@pytest.mark.slow
def test_a_week_holds_the_percentiles_of_its_days_and_the_change(warehouse: WarehouseProcess) -> None:
    first = [a_load(MONDAY + timedelta(hours=5 * n), 1000 + 10 * n, n + 1) for n in range(30)]
    second = [a_load(MONDAY + timedelta(days=7, hours=5 * n), 2000 + n, n + 100) for n in range(25)]
    store(warehouse, *first, *second)
    build_marts(warehouse, "page_metrics_daily", "weekly_trends")
    found = weeks(warehouse)
    assert list(found) == [MONDAY.date(), MONDAY.date() + timedelta(days=7)]
    before, after = found.values()
    expected = np.percentile([1000 + 10 * n for n in range(30)], [50, 75, 95])
    assert [before["p50"], before["p75"], before["p95"]] == pytest.approx(list(expected))
    assert list(before["digest"]) == pytest.approx(list(expected), rel=0.02)
    assert math.isnan(before["change_ratio"])
    p75 = np.percentile([2000 + n for n in range(25)], 75)
    assert after["change_ratio"] == pytest.approx(p75 / expected[1] - 1)


@pytest.mark.slow
def test_a_late_view_builds_its_week_and_the_next_again(warehouse: WarehouseProcess) -> None:
    first = [a_load(MONDAY + timedelta(hours=n), 1000, n + 1) for n in range(20)]
    second = [a_load(MONDAY + timedelta(days=7, hours=n), 1500, n + 100) for n in range(20)]
    other = [a_load(MONDAY - timedelta(days=21), 700, 500)]
    store(warehouse, *first, *second, *other)
    build_marts(warehouse, "page_metrics_daily", "weekly_trends")
    assert build_marts(warehouse, "page_metrics_daily", "weekly_trends")["weekly_trends"].windows == []
    store(warehouse, *[a_load(MONDAY + timedelta(days=1, minutes=n), 3000, n + 300) for n in range(20)])
    reports = build_marts(warehouse, "page_metrics_daily", "weekly_trends")
    assert [window.date() for window in reports["weekly_trends"].windows] == [
        MONDAY.date(),
        MONDAY.date() + timedelta(days=7),
    ]
    before, after = list(weeks(warehouse).values())[1:]
    assert (before["sample_count"], before["p75"]) == (40, 3000)
    assert after["change_ratio"] == pytest.approx(1500 / 3000 - 1)


@pytest.mark.slow
def test_weeks_built_in_inserts_of_their_own_are_as_those_built_together(
    warehouse: WarehouseProcess,
) -> None:
    loads = [a_load(MONDAY + timedelta(hours=9 * n), 1000 + n * n, n + 1) for n in range(30)]
    store(warehouse, *loads)
    build_marts(warehouse, "page_metrics_daily", "weekly_trends")
    together = weeks(warehouse)
    assert len(together) == 2
    admin, builder = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    make_anew(admin, "weekly_trends")
    build(builder, replace(WEEKLY_TRENDS, rows_an_insert=1), FAST)
    admin.close()
    builder.close()
    # In words: the first week has no change, which is no number.
    assert repr(weeks(warehouse)) == repr(together)
