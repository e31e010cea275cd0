from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.known_releases import known_releases
from tests.builders import an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC)


@pytest.mark.slow
def test_releases_of_all_time_are_known_once_each_built_or_not(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    old = NOW - timedelta(days=60)
    insert(
        ingest,
        "errata_raw.error_events",
        [
            an_error_event(release="shop@1", occurred_at=old),
            an_error_event(release="shop@2"),
            an_error_event(release="shop@2", occurred_at=NOW - timedelta(days=1)),
            an_error_event(release=""),
            an_error_event(release="other@1", project_id=8),
        ],
    )
    assert sorted(known_releases(read, 7)) == ["shop@1", "shop@2"]
    build_marts(warehouse, "variant_hourly", "variant_daily")
    insert(ingest, "errata_raw.error_events", [an_error_event(release="shop@3")])
    assert sorted(known_releases(read, 7)) == ["shop@1", "shop@2", "shop@3"]
    assert known_releases(read, 9) == []
