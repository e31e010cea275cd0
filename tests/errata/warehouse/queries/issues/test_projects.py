from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.projects import ProjectTotals, totals_of_projects
from tests.builders import Row, a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = timedelta(hours=1)


def an_event(number: int, variant: int, hours: int, **values: object) -> Row:
    at = NOW - hours * HOUR
    return an_error_event(
        **{"item_id": UUID(int=number), "variant_hash": variant, "occurred_at": at, **values}
    )


@pytest.mark.slow
def test_a_project_is_told_by_its_last_day_and_its_open_issues(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    assert totals_of_projects(read, [7, 8]) == {}
    places = [(7, 1, 101), (7, 2, 102), (7, 3, 103), (7, 4, 103), (7, 5, 105), (8, 6, 201)]
    insert(ingest, "errata_raw.variants", [a_variant(project_id=p, variant_hash=v) for p, v, _ in places])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(project_id=p, variant_hash=v, issue_id=issue) for p, v, issue in places],
    )
    events = [
        an_event(1, 1, 1, user_hash=1),
        an_event(2, 1, 2, user_hash=2),
        an_event(3, 2, 3, user_hash=1),
        an_event(4, 3, 40, user_hash=9),
        an_event(5, 4, 24 * 80),
        an_event(6, 5, 24 * 95),
        an_event(7, 6, 30, project_id=8),
        an_event(8, 1, 1, project_id=9),
    ]
    insert(ingest, "errata_raw.error_events", events)
    # A client that retries sends the same events again.
    insert(ingest, "errata_raw.error_events", events)
    for _ in ("live", "built"):
        # Issue 105 was seen more than 90 days ago.
        assert totals_of_projects(read, [7, 8]) == {
            7: ProjectTotals(7, 3, 2, 3, NOW - HOUR),
            8: ProjectTotals(8, 0, 0, 1, NOW - 30 * HOUR),
        }
        build_marts(warehouse, "variant_hourly", "repeated_events", "variant_daily")
    insert(
        ingest,
        "errata_raw.issue_actions",
        [
            an_issue_action(issue_id=101, action="ignore"),
            an_issue_action(issue_id=102),
            an_issue_action(issue_id=201, project_id=8, action="assign"),
        ],
    )
    found = totals_of_projects(read, [7, 8])
    assert {each.project_id: each.open_issue_count for each in found.values()} == {7: 1, 8: 1}
    assert found[7].event_count == 3
