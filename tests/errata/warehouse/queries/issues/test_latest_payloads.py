import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.latest_payloads import latest_payloads
from tests.builders import Row, a_deletion, a_mapping, a_variant, an_error_event, insert

NOW = datetime.now(UTC)
ROOM = 1_000


def an_event(number: int, days: float, **values: object) -> Row:
    at = NOW - timedelta(days=days)
    told = {"item_id": UUID(int=number), "received_at": at, "occurred_at": at, "payload": f'{{"n":{number}}}'}
    return an_error_event(**{**told, **values})


def test_the_newest_events_are_looked_at_once_each_as_far_as_there_is_room(
    ingest: Warehouse, read: Warehouse
) -> None:
    rows = [an_event(1, 0.1), an_event(2, 0.2), an_event(3, 5, payload='{"n":3,"long":"' + "x" * 90 + '"}')]
    insert(ingest, "errata_raw.error_events", [*rows, an_event(4, 9), an_event(9, 0, project_id=8)])
    # A client that retries sends the same event again.
    insert(ingest, "errata_raw.error_events", [rows[0], {**rows[0], "received_at": NOW - timedelta(hours=1)}])
    newest = [b'{"n":1}', b'{"n":2}']
    assert latest_payloads(read, 7, 2, ROOM) == newest
    # Older ones only where the last days have too few.
    assert latest_payloads(read, 7, 4, ROOM) == [*newest, rows[2]["payload"].encode(), b'{"n":4}']
    assert latest_payloads(read, 7, 4, 14) == newest
    assert latest_payloads(read, 7, 4, 13) == newest[:1]
    assert latest_payloads(read, 9, 4, ROOM) == []


def test_of_a_deleted_issue_nothing_is_looked_at(ingest: Warehouse, read: Warehouse) -> None:
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number) for number in (1, 2)])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=number, issue_id=number) for number in (1, 2)],
    )
    insert(ingest, "errata_raw.error_events", [an_event(1, 0.1), an_event(2, 0.2, variant_hash=2)])
    time.sleep(0.01)
    insert(ingest, "errata_raw.issue_actions", [a_deletion(1, 1)])
    assert latest_payloads(read, 7, 4, ROOM) == [b'{"n":2}']
