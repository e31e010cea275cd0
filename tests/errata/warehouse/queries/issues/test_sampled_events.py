import time
from datetime import UTC, datetime, timedelta
from unittest.mock import patch
from uuid import uuid4

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues import sampled_events as module
from errata.warehouse.queries.issues.sampled_events import sampled_events
from tests.builders import Row, a_deletion, a_mapping, a_variant, an_error_event, insert

NOW = datetime.now(UTC)
SINCE = NOW - timedelta(days=7)


def an_event(number: int, days: float = 1, **values: object) -> Row:
    at = NOW - timedelta(days=days)
    told = {"item_id": uuid4(), "received_at": at, "occurred_at": at, "payload": f'{{"n":{number}}}'}
    return an_error_event(**{**told, **values})


def payloads(read: Warehouse, project_id: int = 7) -> list[bytes]:
    return sorted(event.payload for event in sampled_events(read, project_id, SINCE).events)


def test_few_events_are_all_there_once_each_with_their_issue(ingest: Warehouse, read: Warehouse) -> None:
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=1)])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=1, issue_id=5)])
    rows = [an_event(1, 0.1), an_event(2, 6.9), an_event(3, variant_hash=2)]
    others = [an_event(4, 7.1), an_event(9, project_id=8), an_event(5, payload="{" + "x" * (128 << 10) + "}")]
    insert(ingest, "errata_raw.error_events", [*rows, *others])
    # A client that retries sends the same event again.
    insert(ingest, "errata_raw.error_events", [rows[0]])
    found = sampled_events(read, 7, SINCE)
    assert (found.row_count, found.is_part) == (5, False)
    assert sorted((event.payload, event.issue_id) for event in found.events) == [
        (b'{"n":1}', 5),
        (b'{"n":2}', 5),
        (b'{"n":3}', 0),
    ]
    assert payloads(read, 8) == [b'{"n":9}']
    assert (payloads(read, 9), sampled_events(read, 9, SINCE).row_count) == ([], 0)


def test_of_many_events_some_are_chosen_by_chance(ingest: Warehouse, read: Warehouse) -> None:
    rows = [an_event(number, number % 7) for number in range(1000)]
    insert(ingest, "errata_raw.error_events", rows)
    insert(ingest, "errata_raw.error_events", rows[:500])
    with patch.object(module, "SAMPLE", 100):
        chosen = payloads(read)
        # A fifteenth of a thousand events, as copies of an event are chosen together.
        assert 30 < len(chosen) < 110 and len(set(chosen)) == len(chosen)
        assert payloads(read) == chosen and sampled_events(read, 7, SINCE).is_part
        with patch.object(module, "MOST_BYTES", 100):
            assert 0 < len(payloads(read)) < 15
    with patch.object(module, "SAMPLE", 800):
        assert len(payloads(read)) == 1000


def test_of_a_deleted_issue_nothing_is_chosen(ingest: Warehouse, read: Warehouse) -> None:
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number) for number in (1, 2)])
    mapped = [a_mapping(variant_hash=number, issue_id=number) for number in (1, 2)]
    insert(ingest, "errata_raw.variant_issues", mapped)
    insert(ingest, "errata_raw.error_events", [an_event(1, 0.1), an_event(2, 0.2, variant_hash=2)])
    time.sleep(0.01)
    insert(ingest, "errata_raw.issue_actions", [a_deletion(1, 1)])
    assert payloads(read) == [b'{"n":2}']
