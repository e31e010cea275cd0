import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.busy import Busy, Step, busy_issues
from tests.builders import insert
from tests.errata.warehouse.queries.alerts.received import BEGIN, HOUR, MINUTE, events_of, received

UNTIL = BEGIN + 5 * HOUR


@pytest.mark.usefixtures("issues")
def test_an_issue_is_busy_from_its_first_step_of_many_events_to_its_last(
    ingest: Warehouse, read: Warehouse
) -> None:
    minutes = {1: (5, 65, 70, 190), 2: (75, 200, 210), 3: (1, 2, 61)}
    insert(
        ingest,
        "errata_raw.error_events",
        [
            *(received(variant, minute) for variant, of in minutes.items() for minute in of),
            *(received(3, 5, project_id=8) for _ in range(9)),
            *(received(3, 301) for _ in range(9)),
        ],
    )
    events = events_of(read)
    assert busy_issues(events, BEGIN, UNTIL, Step(HOUR, 2)) == [Busy(101, BEGIN + HOUR, BEGIN + 4 * HOUR, 7)]
    # What ended before is not judged.
    assert busy_issues(events, BEGIN, UNTIL, Step(HOUR, 2), BEGIN + 2 * HOUR) == [
        Busy(101, BEGIN + 3 * HOUR, BEGIN + 4 * HOUR, 7)
    ]
    assert busy_issues(events, BEGIN, UNTIL, Step(HOUR, 3)) == []


@pytest.mark.usefixtures("issues")
def test_a_window_may_begin_within_a_step_and_users_or_a_filter_narrow_what_counts(
    ingest: Warehouse, read: Warehouse
) -> None:
    insert(
        ingest,
        "errata_raw.error_events",
        [
            received(1, 58, user_hash=1),
            received(1, 59, user_hash=2),
            received(1, 61, environment="staging"),
        ],
    )
    step = Step(HOUR, 2, is_sliding=True)
    assert busy_issues(events_of(read), BEGIN, UNTIL, Step(HOUR, 2)) == []
    assert busy_issues(events_of(read), BEGIN, UNTIL, step) == [Busy(101, BEGIN + HOUR, BEGIN + 2 * HOUR, 3)]
    of_users = Step(HOUR, 2, is_sliding=True, of_users=True)
    assert busy_issues(events_of(read), BEGIN, UNTIL, of_users) == []
    assert busy_issues(events_of(read, "environment:production"), BEGIN, UNTIL, step) == []
    tenth = Step(10 * MINUTE, 1)
    assert busy_issues(events_of(read), BEGIN, UNTIL, tenth) == [
        Busy(101, BEGIN + 50 * MINUTE, BEGIN + HOUR, 3)
    ]
