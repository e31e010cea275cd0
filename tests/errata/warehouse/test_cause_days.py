"""Causes as analysts read them: captured loads, with percentiles and counts of the mart."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.ingest.telemetry import rows_of
from errata.warehouse.roles import Role
from tests.captures import GENERATIONS, browser_items, moved_to
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
COUNTS = """
    select cause.metric as metric, count() as loads, countIf(cause.is_slow) as slow_loads
    from errata_mart.page_loads
    array join causes as cause
    group by metric
    order by metric
"""
WHOLE = """
    select metric, sum(sample_count) as loads, sum(slow_count) as slow_loads
    from cause_days
    where part = 'value'
    group by metric
    order by metric
"""
OF_PAGES = """
    select page, sum(sample_count) as loads
    from cause_days
    where part = 'value' and metric = 'inp_ms' and navigation_type = 'navigate'
    group by page
"""
PERCENTILES = """
    select p50, p75, p95, arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', samples) as exact,
        any(sample_count) as loads
    from cause_days_states
    group by all
"""


@pytest.mark.slow
def test_causes_add_up_to_the_loads_that_measured_the_vital(warehouse: WarehouseProcess) -> None:
    by = moved_to(NOW)
    items = (item for each in GENERATIONS for item in browser_items(each, by, ("transaction", "span")))
    store(warehouse, *(rows_of(item, NOW) for item in items))
    build_marts(warehouse, "page_causes_daily")
    let_bound_take_hold(warehouse)
    admin, analyst = warehouse.client(Role.ADMIN), warehouse.client(Role.ANALYST)
    counts = admin.rows(COUNTS)
    assert [row["metric"] for row in counts] == ["cls", "inp_ms", "lcp_ms"]
    assert analyst.rows(WHOLE) == counts
    for row in analyst.rows(PERCENTILES):
        assert [row["p50"], row["p75"], row["p95"]] == pytest.approx(row["exact"])
    pages = analyst.rows(OF_PAGES)
    assert len(pages) > 1
    guide = Path("docs/analysts.md").read_text()
    (question,) = (part for part in guide.split("```") if part.startswith("sql\n") and "cause_days" in part)
    for page in pages:
        found = analyst.rows(question.removeprefix("sql").replace("'/checkout'", f"'{page['page']}'"))
        assert sum(row["loads"] for row in found) == page["loads"]
    admin.close()
    analyst.close()
