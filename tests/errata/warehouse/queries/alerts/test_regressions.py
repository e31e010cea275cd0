from uuid import UUID

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.events import Sighting
from errata.warehouse.queries.alerts.regressions import regressions
from tests.builders import Row, an_issue_action, insert
from tests.errata.warehouse.queries.alerts.received import BEGIN, HOUR, MINUTE, events_of, received


def decided(issue_id: int, number: int, action: str, minutes: int, about: int = 0) -> Row:
    return an_issue_action(
        issue_id=issue_id,
        action=action,
        action_id=UUID(int=number),
        about_action_id=UUID(int=about),
        acted_at=BEGIN + minutes * MINUTE,
    )


@pytest.mark.usefixtures("issues")
def test_a_regression_is_told_with_the_matching_events_since_its_resolution(
    ingest: Warehouse, read: Warehouse
) -> None:
    insert(
        ingest,
        "errata_raw.error_events",
        [
            received(1, 5),
            received(1, 20),
            received(2, 25, environment="staging"),
            # After it was written down, and what occurred before the resolution.
            received(1, 50),
            received(1, 22, occurred_at=BEGIN + 9 * MINUTE),
            received(3, 70),
        ],
    )
    insert(
        ingest,
        "errata_raw.issue_actions",
        [
            decided(101, 1, "resolve", 10),
            decided(101, 2, "regress", 30, about=1),
            decided(103, 3, "resolve", 40),
            decided(103, 4, "regress", 80, about=3),
        ],
    )
    until = BEGIN + HOUR
    told = Sighting(101, BEGIN + 30 * MINUTE, 2, UUID(int=1).hex)
    assert regressions(events_of(read), BEGIN, until) == [told]
    (staging,) = regressions(events_of(read, "environment:staging"), BEGIN, until)
    assert (staging.issue_id, staging.value) == (101, 1)
    assert regressions(events_of(read, "level:fatal"), BEGIN, until) == []
    # Each in the span that it was written down in.
    assert [each.issue_id for each in regressions(events_of(read), until, until + HOUR)] == [103]
    assert regressions(events_of(read), BEGIN, BEGIN + 30 * MINUTE) == []
