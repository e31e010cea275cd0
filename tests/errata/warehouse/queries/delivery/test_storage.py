"""What the disk holds by day, and the day it will be full."""

import json
from datetime import UTC, date, datetime, timedelta

from errata.warehouse.disk import Bound
from errata.warehouse.queries.delivery.storage import LOOKED_AHEAD_DAYS, full_on, storage
from errata.warehouse.retention import RETENTION_DAYS
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess

TODAY = date(2026, 11, 23)
FOREVER = "errata_mart.page_metrics_daily"
ERRORS = "errata_raw.error_events"


def test_the_day_it_is_full_follows_from_growth() -> None:
    assert full_on(1000, {}, {FOREVER: 100}, TODAY) == TODAY + timedelta(days=10)
    assert full_on(0, {}, {FOREVER: 100}, TODAY) == TODAY
    assert full_on(1000, {}, {}, TODAY) is None
    assert full_on(1 << 60, {}, {FOREVER: 1}, TODAY) is None


def test_what_retention_gives_back_is_counted() -> None:
    kept = RETENTION_DAYS[ERRORS]
    stored = {ERRORS: {TODAY - timedelta(days=ago): 10 for ago in range(1, kept + 1)}}
    # As much goes as comes: never full.
    assert full_on(50, stored, {ERRORS: 10}, TODAY) is None
    # Nothing is old enough to go yet: it fills for as long as errors are kept, and then no more.
    assert full_on(10 * kept + 5, {}, {ERRORS: 10}, TODAY) is None
    assert full_on(10 * kept - 5, {}, {ERRORS: 10}, TODAY) == TODAY + timedelta(days=kept)
    assert kept < LOOKED_AHEAD_DAYS


def test_growth_is_that_of_the_last_whole_days(warehouse: WarehouseProcess) -> None:
    read, admin, ingest = (warehouse.client(role) for role in (Role.READ, Role.ADMIN, Role.INGEST))
    today = datetime.now(UTC).date()
    assert storage(read, Bound(0, 0), today).growth_bytes is None  # type: ignore[union-attr]
    ingest.insert_json_lines(
        "errata_raw.outcomes", b'{"project_id": 7, "item_type": "event", "item_count": 3}\n'
    )
    size = admin.rows(
        "select sum(bytes_on_disk) as byte_count from system.parts "
        "where active and database = 'errata_raw' and table = 'outcomes'"
    )[0]["byte_count"]
    # The first day was no whole one, and two days say nothing about years.
    assert storage(read, Bound(0, 0), today + timedelta(days=3)).growth_bytes is None  # type: ignore[union-attr]
    row = {"project_id": 7, "item_type": "event", "item_count": 3}
    earlier = json.dumps({**row, "received_at": f"{today - timedelta(days=9)}"})
    ingest.insert_json_lines("errata_raw.outcomes", earlier.encode() + b"\n")
    found = storage(read, Bound(0, 0), today + timedelta(days=1))
    assert found is not None and size > 0
    # Of seven whole days one brought something.
    assert found.growth_bytes == size // 7
    assert not found.is_lacking and 0 < found.space.free_bytes <= found.space.total_bytes
    lacking = storage(read, Bound(1 << 60, 0), today)
    assert lacking is not None and lacking.is_lacking and lacking.full_on == today
    for client in (read, admin, ingest):
        client.close()
