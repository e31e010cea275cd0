"""A user of two merged issues counts once, and an event in one issue alone, through builds."""

from datetime import UTC, datetime, timedelta

import pytest

from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.issue import Issue
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Sort
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

MARTS = ("variant_hourly", "repeated_events", "variant_daily", "variant_totals", "issue_totals")
FAMILIAR, NEW = 51, 52
# A person's word.
BY_HAND = 2


def listed(read: Warehouse, sort: Sort) -> list[Issue]:
    filters = IssueFilters(Period("14d").of_events(datetime.now(UTC)))
    return list(issues_of_project(read, 7, filters, sort).issues)


def test_users_of_merged_issues_count_once(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse, caplog: pytest.LogCaptureFixture
) -> None:
    at = datetime.now(UTC) - timedelta(hours=2)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number) for number in (1, 2)])
    mappings = [a_mapping(variant_hash=number, issue_id=100 + number) for number in (1, 2)]
    insert(ingest, "errata_raw.variant_issues", mappings)
    events = [
        an_error_event(variant_hash=variant, user_hash=user, occurred_at=at, received_at=at)
        for variant, user in ((1, FAMILIAR), (2, FAMILIAR), (2, NEW))
    ]
    insert(ingest, "errata_raw.error_events", events)
    build_marts(warehouse, *MARTS)
    assert {one.issue_id: (one.event_count, one.user_count) for one in listed(read, Sort.EVENTS)} == {
        101: (1, 1),
        102: (2, 2),
    }
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=2, issue_id=101, authority=BY_HAND)])
    for sort in (Sort.EVENTS, Sort.USERS):
        (merged,) = listed(read, sort)
        assert (merged.issue_id, merged.event_count, merged.user_count) == (101, 3, 2)
    # An event makes a build due, in which the merge is counted, too.
    insert(ingest, "errata_raw.error_events", [an_error_event(variant_hash=1, user_hash=NEW, occurred_at=at)])
    for is_due in (True, False):
        for sort in (Sort.EVENTS, Sort.USERS):
            (merged,) = listed(read, sort)
            assert (merged.issue_id, merged.event_count, merged.user_count) == (101, 4, 2)
        report = build_marts(warehouse, *MARTS)["issue_totals"]
        assert (report.row_count > 0) is is_due
    # Else the recount would have mended what the build did.
    assert "from the beginning" not in caplog.text
