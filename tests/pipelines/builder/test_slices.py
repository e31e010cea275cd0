"""What one insert holds in memory is bounded, and rows are the same however windows were cut."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from api.ingest.telemetry import rows_of
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.build_log import MOST_NAMED, BuildLog
from pipelines.builder.mart import Mart
from pipelines.builder.set_aside import Reason
from pipelines.marts.registry import (
    PAGE_CAUSES_DAILY,
    PAGE_LOADS,
    PAGE_METRICS_DAILY,
    PAGE_METRICS_HOURLY,
    RESOURCE_METRICS_DAILY,
)
from tests.captures import browser_items, moved_to
from tests.mart_builds import FAST, make_anew
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

# With so many rows an insert that a window of captured views takes several slices.
MARTS = {
    PAGE_LOADS: 30,
    PAGE_METRICS_DAILY: 30,
    PAGE_METRICS_HOURLY: 30,
    PAGE_CAUSES_DAILY: 30,
    RESOURCE_METRICS_DAILY: 300,
}
NOW = datetime.now(UTC)
YESTERDAY = NOW - timedelta(days=1)
COLUMNS = """
    select name, type
    from system.columns
    where
        database = 'errata_mart' and table = {mart:String} and default_kind != 'ALIAS'
        and name not in ('computed_through', 'built_through', 'version')
"""
MANY_VIEWS = """
    insert into errata_raw.page_views (
        project_id, view_id, occurred_at, received_at, item_id, is_load, navigation_type, page,
        started_at_ms, load_at_ms, lcp_ms, resource_intervals, call_ms
    )
    select
        1, number + 1, {at:DateTime64(3)}, {at:DateTime64(3)} + 1, generateUUIDv4(number), true, 'navigate',
        concat('/', toString(number % 500)),
        1e12, 1e12 + number % 3001, number % 2003, [(1e12, 1e12 + number % 501)], [number % 307]
    from numbers(150000)
"""
SUMS = """
    select
        count() as load_count,
        sum(cityHash64(item_id, page, load_ms, lcp_ms, resources_ms, api_ms)) as hashes
    from errata_mart.page_loads
"""
VIEWS_OF_HOURS = """
    insert into errata_raw.page_views (
        project_id, view_id, occurred_at, received_at, item_id, is_load, navigation_type, page
    )
    select
        1, number + 1, {now:DateTime64(3)} - toIntervalHour(number + 1), {now:DateTime64(3)} - 1,
        generateUUIDv4(number), true, 'navigate', '/'
    from numbers({hour_count:UInt32})
"""


@pytest.fixture
def admin(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.ADMIN)
    yield client
    client.close()


def built_anew(admin: Warehouse, builder: Warehouse, mart: Mart) -> list[str]:
    """All rows of the mart, states too, of a table that nothing was in; as text, in which nan equals nan."""
    make_anew(admin, mart.name)
    assert build(builder, mart, FAST).row_count
    columns = [
        f"hex({row['name']}) as {row['name']}" if row["type"].startswith("Aggregate") else row["name"]
        for row in admin.rows(COLUMNS, {"mart": mart.name})
    ]
    return list(map(repr, admin.rows(f"select {', '.join(columns)} from {mart.table} order by all")))


@pytest.mark.slow
@pytest.mark.parametrize(("mart", "rows_an_insert"), MARTS.items(), ids=[mart.name for mart in MARTS])
def test_slices_of_windows_give_the_same_rows(
    warehouse: WarehouseProcess,
    admin: Warehouse,
    monkeypatch: pytest.MonkeyPatch,
    mart: Mart,
    rows_an_insert: int,
) -> None:
    batches = [
        rows_of(item, NOW)
        for generation in ("v11", "v9")
        for item in browser_items(generation, moved_to(NOW), ("transaction", "span"))
    ]
    batches += [
        rows_of(item, NOW) for item in browser_items("v10", moved_to(YESTERDAY), ("transaction", "span"))
    ]
    store(warehouse, *batches)
    store(warehouse, *random.Random(3).sample(batches, len(batches) // 3))
    builder = warehouse.client(Role.BUILD)
    if mart.source:
        build(builder, PAGE_LOADS, FAST)
    whole = built_anew(admin, builder, mart)
    assert built_anew(admin, builder, replace(mart, rows_an_insert=rows_an_insert)) == whole
    # Windows beside each other, where there is memory for it.
    monkeypatch.setattr(BuildLog, "memory", lambda _: 4 << 30)
    assert built_anew(admin, builder, replace(mart, rows_an_insert=rows_an_insert)) == whole
    builder.close()


@pytest.mark.slow
def test_a_first_build_of_more_hours_than_one_statement_names(
    warehouse: WarehouseProcess, admin: Warehouse
) -> None:
    hour_count = 2 * MOST_NAMED + 100
    admin.execute(VIEWS_OF_HOURS, {"now": NOW, "hour_count": hour_count})
    builder = warehouse.client(Role.BUILD)
    report = build(builder, PAGE_LOADS, FAST)
    assert len(report.windows) == hour_count
    (row,) = admin.rows("select uniqExact(hour) as hours from errata_mart.page_loads")
    assert row["hours"] == hour_count
    builder.close()


@pytest.mark.slow
def test_an_hour_too_large_for_memory_is_built_in_slices(
    warehouse: WarehouseProcess, admin: Warehouse
) -> None:
    admin.execute(MANY_VIEWS, {"at": NOW - timedelta(hours=3)})
    builder = warehouse.client(Role.BUILD)
    build(builder, PAGE_LOADS, FAST)
    whole = admin.rows(SUMS)
    assert whole[0]["load_count"] == 150_000
    builder.close()
    little = Warehouse(warehouse.url(Role.BUILD), {"max_memory_usage": 130_000_000})
    make_anew(admin, PAGE_LOADS.name)
    assert build(little, PAGE_LOADS, FAST).set_aside_count == 1
    assert [one.reason for one in standing(little, PAGE_LOADS.name)] == [Reason.MEMORY]
    make_anew(admin, PAGE_LOADS.name)
    assert build(little, replace(PAGE_LOADS, rows_an_insert=15_000), FAST).set_aside_count == 0
    assert admin.rows(SUMS) == whole
    little.close()
