"""What happened in the last second of a day is counted, also where it came alone.

The engine's indexes take `moment < whole second` for `moment <= the second before`: a part whose first moment
lies in between is not read. So a moment in milliseconds is compared with one in milliseconds.
"""

from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.data_checks import DataChecks
from pipelines.marts.registry import MARTS
from tests.builders import an_error_event, insert
from tests.mart_builds import FAST
from tests.pipelines.builder.test_copies_of_loads import deliver, visit
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC).replace(microsecond=0)
MIDNIGHT = NOW.replace(hour=0, minute=0, second=0) - timedelta(days=3)
RECEIVED = NOW - timedelta(minutes=5)
COUNTS = {
    "variant_hourly": "sum(event_count)",
    "variant_daily": "sum(event_count)",
    "repeated_events": "sum(copy_count)",
    "page_loads": "count()",
    "page_metrics_daily": "sumIf(sample_count, metric = 'view')",
    "page_metrics_hourly": "sumIf(sample_count, metric = 'view')",
    "endpoint_metrics_daily": "sum(call_count)",
    "endpoint_metrics_hourly": "sum(call_count)",
    "resource_metrics_daily": "sumIf(resource_count, url = '')",
}
BUILT = [mart for mart in MARTS if mart.name in COUNTS]


@pytest.mark.slow
@pytest.mark.parametrize("before_midnight_ms", [1, 500, 999])
def test_what_comes_alone_in_the_last_second_of_a_day_is_counted(
    warehouse: WarehouseProcess, before_midnight_ms: int
) -> None:
    at = MIDNIGHT - timedelta(milliseconds=before_midnight_ms)
    ingest, client = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    event = an_error_event(occurred_at=at, received_at=RECEIVED)
    insert(ingest, "errata_raw.error_events", [event, event])
    deliver(warehouse, visit(7, 100, at, [RECEIVED] * 4))
    for mart in BUILT:
        build(client, mart, FAST)
    counted = {
        name: client.rows(f"select toUInt64({count}) as count from errata_mart.{name}")[0]["count"]
        for name, count in COUNTS.items()
    }
    assert counted == {name: 2 if name == "repeated_events" else 1 for name in COUNTS}
    for mart in BUILT:
        assert [one for one in DataChecks(client, mart).sums() if one.built_count != one.expected_count] == []
