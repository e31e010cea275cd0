from datetime import timedelta

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries import expiry
from errata.warehouse.queries.alerts.events import Sighting
from errata.warehouse.queries.alerts.new_issues import new_issues
from tests.builders import an_issue_action, insert
from tests.errata.warehouse.queries.alerts.received import BEGIN, HOUR, MINUTE, events_of, received

UNTIL = BEGIN + HOUR


@pytest.mark.usefixtures("issues")
def test_an_issue_is_new_with_its_first_matching_event_of_any_variant(
    ingest: Warehouse, read: Warehouse
) -> None:
    insert(
        ingest,
        "errata_raw.error_events",
        [
            received(2, 20),
            received(1, 10),
            received(1, 30),
            received(3, 5),
            received(3, -60 * 24 * 5, environment="staging"),
            received(3, 70),
            received(1, -5, project_id=8),
        ],
    )
    assert new_issues(events_of(read), BEGIN, UNTIL) == [Sighting(101, BEGIN + 10 * MINUTE, 3, "new")]
    # In production the other one was never seen before.
    found = new_issues(events_of(read, "environment:production"), BEGIN, UNTIL)
    assert sorted(found, key=lambda each: each.issue_id) == [
        Sighting(101, BEGIN + 10 * MINUTE, 3, "new"),
        Sighting(103, BEGIN + 5 * MINUTE, 1, "new"),
    ]
    assert new_issues(events_of(read), UNTIL, UNTIL + HOUR) == []


@pytest.mark.usefixtures("issues")
def test_a_new_variant_of_an_old_issue_is_no_new_issue(ingest: Warehouse, read: Warehouse) -> None:
    before = BEGIN - timedelta(days=2)
    insert(
        ingest,
        "errata_raw.error_events",
        [received(2, 10), received(1, 0, occurred_at=before, received_at=before), received(3, 15)],
    )
    assert [each.issue_id for each in new_issues(events_of(read), BEGIN, UNTIL)] == [103]
    merge = an_issue_action(issue_id=103, action="merge", target_issue_id=101)
    insert(ingest, "errata_raw.issue_actions", [merge])
    assert new_issues(events_of(read), BEGIN, UNTIL) == []


@pytest.mark.usefixtures("issues")
def test_an_issue_from_before_the_projects_retention_is_no_new_one(
    ingest: Warehouse, read: Warehouse
) -> None:
    """Its earlier matching events may be gone."""
    insert(ingest, "errata_raw.error_events", [received(2, 20), received(3, 5)])
    assert {each.issue_id for each in new_issues(events_of(read), BEGIN, UNTIL)} == {101, 103}
    expiry.record(ingest, {(events_of(read).project_id, "errata_raw.error_events"): UNTIL.date()})
    assert new_issues(events_of(read), BEGIN, UNTIL) == []
