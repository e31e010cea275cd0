from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from errata.errors import InvalidParameter
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.merged_issue import MergedIssue, merged_issue
from errata.warehouse.queries.issue.range import Range, issue_in_range
from tests.builders import Row, a_mapping, a_variant, an_error_event, insert
from tests.cases import each

HOUR = timedelta(hours=1)
SINCE = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 5 * HOUR
CHOSEN = Range(SINCE, SINCE + 2 * HOUR)


def merged(read: Warehouse) -> MergedIssue:
    found = merged_issue(read, 7, 101)
    assert found is not None
    return found


def an_event(number: int, minutes: float, **values: object) -> Row:
    at = SINCE + timedelta(minutes=minutes)
    return an_error_event(item_id=UUID(int=number), occurred_at=at, **values)


def test_events_users_and_lines_are_those_between_two_moments(ingest: Warehouse, read: Warehouse) -> None:
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number) for number in (1, 2, 3)])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=number, issue_id=103 if number == 3 else 101) for number in (1, 2, 3)],
    )
    events = [
        an_event(1, -0.01, user_hash=9),
        an_event(2, 0, user_hash=1),
        an_event(3, 7, user_hash=1, variant_hash=2),
        an_event(4, 119.9, user_hash=2),
        an_event(5, 30, user_hash=3, environment="staging"),
        an_event(6, 31, environment="staging"),
        an_event(7, 120, user_hash=9),
        an_event(8, 60, user_hash=8, variant_hash=3),
        an_event(9, 60, user_hash=8, project_id=8),
    ]
    insert(ingest, "errata_raw.error_events", events)
    # A client that retries sends the same events again.
    insert(ingest, "errata_raw.error_events", events)
    found = issue_in_range(read, merged(read), CHOSEN)
    assert (found.event_count, found.user_count, found.newest) == (5, 3, UUID(int=4))
    assert CHOSEN.bucket == timedelta(minutes=5)
    assert list(found.bucket_starts) == [SINCE + number * CHOSEN.bucket for number in range(24)]
    lines = {name: {place: count for place, count in enumerate(line) if count} for name, line in found.lines}
    assert lines == {"production": {0: 1, 1: 1, 23: 1}, "staging": {6: 2}}
    assert all(len(line) == 24 for _, line in found.lines)


def test_where_nothing_happened_there_is_no_event_to_show(ingest: Warehouse, read: Warehouse) -> None:
    insert(ingest, "errata_raw.variants", [a_variant()])
    insert(ingest, "errata_raw.variant_issues", [a_mapping()])
    insert(ingest, "errata_raw.error_events", [an_event(1, -1)])
    found = issue_in_range(read, merged(read), CHOSEN)
    assert (found.event_count, found.user_count, found.newest, list(found.lines)) == (0, 0, None, [])


@each("length", [timedelta(0), -HOUR, timedelta(days=800)])
def test_a_range_that_is_none_is_refused(length: timedelta) -> None:
    with pytest.raises(InvalidParameter):
        Range(SINCE, SINCE + length)
