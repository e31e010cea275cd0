"""Page loads by the hour, out of captured items: the figures of days, and the browser's own sizes."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from api.ingest.item import Rows
from api.ingest.telemetry import rows_of
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.roles import Role
from tests.captures import browser_items, moved_to, truth
from tests.mart_builds import build_marts, make_anew
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
RESOURCES = "errata_raw.page_resources"
GENERATIONS = {"v11": 11, "v9": 9}
BY_DAY = """
    select page, environment, metric, sum(sample_count) as count, arraySort(groupArrayArray(values)) as values
    from errata_mart.page_metrics_daily
    where navigation_type = 'navigate'
    group by page, environment, metric
    order by page, environment, metric
"""
BY_HOUR = """
    select page, environment, metric, sum(sample_count) as count, arraySort(groupArrayArray(values)) as values
    from errata_mart.page_metrics_hourly
    where not (metric like '%_bytes' or metric = 'request_count')
    group by page, environment, metric
    order by page, environment, metric
"""
SIZES = """
    select page, metric, values
    from errata_mart.page_metrics_hourly
    where metric in ('script_bytes', 'total_bytes', 'request_count')
"""


@pytest.fixture
def built(warehouse: WarehouseProcess) -> Warehouse:
    """Delivered twice, each load as a page of its own."""
    batches = [
        rows_of(item, NOW)
        for generation in GENERATIONS
        for item in browser_items(generation, moved_to(NOW), ("transaction", "span"))
    ]
    for rows in batches:
        for row in rows.get("errata_raw.page_views", []):
            if row.get("is_load"):
                row["page"] = f"{row['view_id']:016x}"
    store(warehouse, *batches)
    store(warehouse, *batches)
    build_marts(warehouse, "page_metrics_daily", "page_metrics_hourly")
    return warehouse.client(Role.ADMIN)


@pytest.mark.slow
def test_hours_add_up_to_days_and_sizes_are_the_browsers_own(built: Warehouse) -> None:
    by_day, by_hour = built.rows(BY_DAY), built.rows(BY_HOUR)
    assert len(by_day) > 500 and by_hour == by_day

    sizes: dict[str, dict[str, float]] = {}
    for row in built.rows(SIZES):
        sizes.setdefault(row["page"], {})[row["metric"]] = row["values"][0]
    loads = [load for load in truth() if load["sdk"]["major"] in GENERATIONS.values()]
    told = Counter(compared(sizes[load["pageload_span_id"]], load) for load in loads)
    # Views that were left before their last script had come told of fewer.
    assert told["more"] == 0 and told["same"] >= len(loads) - 3
    built.close()


@pytest.mark.slow
def test_resources_that_come_when_their_hour_was_built_count(warehouse: WarehouseProcess) -> None:
    batches = [rows_of(item, NOW) for item in browser_items("v11", moved_to(NOW), ("transaction", "span"))]
    admin = warehouse.client(Role.ADMIN)
    store(warehouse, *(_without(rows, RESOURCES) for rows in batches))
    build_marts(warehouse, "page_metrics_hourly")
    assert admin.rows(SIZES) == []
    store(warehouse, *({RESOURCES: rows.get(RESOURCES, [])} for rows in batches))
    build_marts(warehouse, "page_metrics_hourly")
    found = sorted(map(repr, admin.rows(SIZES)))
    make_anew(admin, "page_metrics_hourly")
    build_marts(warehouse, "page_metrics_hourly")
    assert found == sorted(map(repr, admin.rows(SIZES)))
    assert len(found) >= 6
    admin.close()


def _without(rows: Rows, table: str) -> Rows:
    return {name: found for name, found in rows.items() if name != table}


def compared(sizes: Row, load: dict[str, Any]) -> str:
    """Scripts as the view told of them, against the browser's own list."""
    own = sum(
        resource["encodedBodySize"]
        for resource in load["resources"]
        if resource["name"].partition("?")[0].endswith((".js", ".mjs"))
    )
    assert sizes["script_bytes"] <= sizes["total_bytes"] and sizes["request_count"] >= 1
    return "same" if sizes["script_bytes"] == own else "more" if sizes["script_bytes"] > own else "fewer"
