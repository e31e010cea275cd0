"""Three hosts: one delivered all, one lost the middle of a file, one stopped days ago."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.ledger import (
    FileRow,
    Filters,
    HostRow,
    State,
    files,
    hosts,
    outcomes,
    summary,
)
from errata.warehouse.roles import Role
from tests.builders import Row, a_delivery, insert
from tests.processes import WarehouseProcess

# Noon: what was delivered hours before is of the same day.
NOW = datetime.now(UTC).replace(hour=12, minute=30, second=0, microsecond=0) - timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FILTERS = Filters([7], Period("7d"), NOW)


def delivered(host: str, byte_from: int, byte_to: int, ago: timedelta, **values: object) -> Row:
    at = NOW - ago
    return a_delivery(
        **{
            "host": host,
            "file": f"errata-{at:%Y-%m-%d}.log",
            "byte_from": byte_from,
            "byte_to": byte_to,
            "file_bytes": byte_to,
            "received_at": at,
            "newest_logged_at": at - timedelta(seconds=2),
            **values,
        }
    )


@pytest.fixture(scope="module")
def read(warehouse_of_module: WarehouseProcess) -> Iterator[Warehouse]:
    ingest = warehouse_of_module.client(Role.INGEST)
    again = delivered("whole", 0, 40, 3 * HOUR, accepted_count=4, batch_id="one")
    insert(
        ingest,
        "errata_raw.deliveries",
        [
            again,
            delivered(
                "whole", 40, 60, HOUR, accepted_count=2, newest_logged_at=NOW - HOUR - timedelta(seconds=90)
            ),
            delivered("gap", 0, 10, 2 * HOUR),
            delivered("gap", 35, 50, HOUR, file_bytes=55, rejected_count=1, newest_logged_at=EPOCH),
            delivered("gone", 0, 10, 10 * DAY),
            delivered("theirs", 0, 10, HOUR, project_id=8),
        ],
    )
    # A shipper that retries sends the same batch again.
    insert(ingest, "errata_raw.deliveries", [{**again, "received_at": NOW - 2 * HOUR}])
    outcome = {"project_id": 7, "item_type": "event", "outcome": "other_page", "received_at": NOW}
    insert(
        ingest,
        "errata_raw.outcomes",
        [
            {**outcome, "batch_id": "one", "item_count": 3},
            {**outcome, "batch_id": "one", "item_count": 3},
            {**outcome, "batch_id": "two", "item_count": 2, "received_at": NOW - HOUR},
            {**outcome, "batch_id": "two", "item_count": 9, "outcome": "too_old"},
            {**outcome, "batch_id": "two", "item_count": 4, "outcome": "filtered", "reason": "localhost"},
            {**outcome, "batch_id": "two", "item_count": 1, "outcome": "filtered", "reason": "web-crawlers"},
            {**outcome, "batch_id": "two", "item_count": 8, "item_type": "line", "outcome": "refused"},
            {**outcome, "batch_id": "three", "item_count": 7, "received_at": NOW - 9 * DAY},
            {**outcome, "batch_id": "four", "item_count": 7, "project_id": 8},
        ],
    )
    ingest.close()
    client = warehouse_of_module.client(Role.READ)
    yield client
    client.close()


def file_of(read: Warehouse, host: str) -> FileRow:
    (file,) = files(read, Filters([7], Period("7d"), NOW, host)).files
    return file


def test_a_file_is_told_by_the_bytes_that_came_and_those_that_did_not(read: Warehouse) -> None:
    whole, gap = file_of(read, "whole"), file_of(read, "gap")
    assert (whole.written_bytes, whole.delivered_bytes, whole.missing_bytes, whole.waiting_bytes) == (
        60,
        60,
        0,
        0,
    )
    assert (whole.accepted_count, whole.batch_count, whole.repeated_batch_count) == (6, 2, 1)
    assert (whole.lag_ms_max, whole.state(NOW)) == (90_000, State.COMPLETE)
    assert (gap.gaps, gap.missing_bytes, gap.waiting_bytes) == ([(10, 35)], 25, 5)
    assert (gap.rejected_count, gap.state(NOW)) == (1, State.MISSING)
    assert gap.missing_ranges == [(10, 35)]


def test_files_with_bytes_missing_come_first_page_by_page(read: Warehouse) -> None:
    first = files(read, FILTERS, limit=1)
    assert [row.host for row in first.files] == ["gap"] and first.next_cursor is not None
    second = files(read, FILTERS, limit=1, cursor=first.next_cursor)
    assert [row.host for row in second.files] == ["whole"] and second.next_cursor is None
    assert [row.host for row in files(read, FILTERS, is_missing_only=True).files] == ["gap"]


def test_hosts_are_added_up_and_those_silent_for_a_day_are_named(read: Warehouse) -> None:
    found = {row.host: row for row in hosts(read, FILTERS)}
    assert list(found) == ["gap", "gone", "whole"]
    gap, gone = found["gap"], found["gone"]
    assert (gap.file_count, gap.missing_file_count, gap.missing_bytes, gap.waiting_bytes) == (1, 1, 25, 5)
    assert (gone.file_count, gone.written_bytes, gone.last_received_at) == (0, 0, NOW - 10 * DAY)
    rows: list[HostRow] = list(found.values())
    told = summary(rows, NOW)
    assert (told.host_count, told.written_bytes, told.accepted_count) == (2, 115, 8)
    assert (told.missing_hosts, [row.host for row in told.silent_hosts]) == (["gap"], ["gone"])
    assert told.lag_ms_max == 90_000


def test_the_longest_lag_of_each_step_is_told_by_host(read: Warehouse) -> None:
    found = {row.host: row for row in hosts(read, FILTERS, HOUR)}
    starts = dict(found["whole"].lags)
    hour = NOW.replace(minute=0)
    assert starts[hour - 3 * HOUR] == 2_000 and starts[hour - HOUR] == 90_000
    assert found["gone"].lags == []
    # A line that did not say when it was written has no lag.
    assert dict(found["gap"].lags) == {hour - 2 * HOUR: 2_000}


def test_what_was_accepted_and_not_stored_as_sent_is_counted_once_a_batch(read: Warehouse) -> None:
    found = outcomes(read, FILTERS)
    assert [(row.outcome, row.reason, row.item_count, row.last_received_at) for row in found] == [
        ("too_old", "", 9, NOW),
        ("other_page", "", 5, NOW),
        ("filtered", "localhost", 4, NOW),
        ("filtered", "web-crawlers", 1, NOW),
    ]
