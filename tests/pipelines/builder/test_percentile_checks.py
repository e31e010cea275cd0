import pytest

from errata.warehouse.roles import Role
from pipelines.builder.data_checks import DataChecks
from pipelines.marts.registry import MARTS
from tests.mart_builds import publish
from tests.processes import WarehouseProcess

FALLING = {
    "weekly_trends": "(week, p50, p75, p95) values ('2026-11-16', 5, 4, 9)",
    "page_metrics_daily": "(day, metric, sample_count, values) values ('2026-11-16', 'cls', 2, [5, 4])",
    "resource_metrics_daily": "(day, view_count, resource_count) values ('2026-11-16', 4, 3)",
    "page_causes_daily": "(day, metric, sample_count, values) values ('2026-11-16', 'cls', 2, [5, 4])",
    "page_metrics_hourly": "(hour, metric, sample_count, values) values ('2026-11-16', 'cls', 2, [5, 4])",
    "endpoint_metrics_hourly": "(hour, call_count, durations_ms) values ('2026-11-16', 3, [4, 5])",
    "endpoint_metrics_daily": "(day, call_count, durations_ms) values ('2026-11-16', 3, [4, 5])",
}


@pytest.mark.parametrize("name", FALLING)
def test_percentiles_that_cannot_be_are_noticed(warehouse: WarehouseProcess, name: str) -> None:
    builder = warehouse.client(Role.BUILD)
    checks = DataChecks(builder, next(mart for mart in MARTS if mart.name == name))
    assert checks.disordered_percentiles() == 0
    builder.execute(f"insert into errata_mart.{name} {FALLING[name]}")
    publish(builder, name, 0)
    assert checks.disordered_percentiles() == 1
    builder.close()
