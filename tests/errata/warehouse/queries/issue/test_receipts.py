from datetime import UTC, datetime, timedelta

from errata.clock import EPOCH
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.receipts import KNOWN_FOR, received_since
from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

HOUR = timedelta(hours=1)
NOW = datetime.now(UTC).replace(microsecond=0)


def test_rows_are_looked_at_from_the_first_receipt_of_what_occurred_since(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    assert received_since(read, NOW - 3 * HOUR) == EPOCH
    # By hours ago: when it occurred, and when it was received.
    moments = [(20, 20), (6, 1), (3, 5), (2, 2)]
    insert(
        ingest,
        "errata_raw.error_events",
        [
            an_error_event(occurred_at=NOW - occurred * HOUR, received_at=NOW - received * HOUR)
            for occurred, received in moments
        ],
    )
    began = datetime.now(UTC) - timedelta(seconds=1)
    build_marts(warehouse, "variant_hourly")
    # Of another client: what one has found stays true for it.
    other = warehouse.client(Role.READ)
    # By a clock ahead, what occurred three hours ago was received five hours ago.
    assert received_since(other, NOW - 3 * HOUR) == NOW - 5 * HOUR
    assert received_since(other, NOW - 2 * HOUR) == NOW - 2 * HOUR
    assert received_since(other, NOW - 7 * HOUR) == NOW - 5 * HOUR
    assert received_since(other, NOW - 20 * HOUR) == NOW - 20 * HOUR
    # What no build has met was received after it.
    assert received_since(other, NOW + HOUR) >= began
    assert received_since(other, NOW - KNOWN_FOR - HOUR) == EPOCH
    other.close()
