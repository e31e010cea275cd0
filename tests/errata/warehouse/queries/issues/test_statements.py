"""How many statements a list and the head of an issue's page ask: half of what one costs is its planning."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from errata.period import Period
from errata.warehouse.asked import recorded
from errata.warehouse.client import Warehouse
from errata.warehouse.provenance import question_of
from errata.warehouse.queries.issue.head import issue_head
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Sort
from errata.warehouse.roles import Role
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.warehouse_builds import MARTS_OF_ISSUES

OF_BUILDS = ["published_versions", "totals_held"]
# A variant was recorded since the build, so it is looked for among those that moved.
OF_NOW = ["arrivals", "live_edge", "moved_variants"]
OF_LIST = ["issues_listed", "issues_shown", "looks_of_issues"]


@pytest.fixture
def built(warehouse: WarehouseProcess, ingest: Warehouse) -> None:
    """Issue 101 with an event in the totals, issue 102 recorded since with a new one."""
    # A project that began within the period has a chart of shorter steps, which is counted by itself.
    record(ingest, 1, now() - timedelta(days=80))
    insert(ingest, "errata_raw.error_events", [an_error_event(received_at=now() - timedelta(minutes=5))])
    build_marts(warehouse, *MARTS_OF_ISSUES)
    record(ingest, 2, now())
    insert(ingest, "errata_raw.error_events", [an_error_event(variant_hash=2)])


def record(ingest: Warehouse, number: int, first_seen_at: datetime) -> None:
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number, first_seen_at=first_seen_at)])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=number, issue_id=100 + number)])


def now() -> datetime:
    return datetime.now(UTC)


def asked(ask: Callable[[], object]) -> list[str]:
    with recorded() as statements:
        ask()
    return sorted(question_of(one.statement) for one in statements)


@pytest.mark.usefixtures("built")
def test_a_list_and_the_head_of_an_issue_ask_few_statements(
    warehouse: WarehouseProcess, read: Warehouse
) -> None:
    filters, period = IssueFilters(Period("14d").of_events(now())), Period("14d").of_events(now())
    expected = sorted(OF_BUILDS + OF_NOW + OF_LIST)
    for sort in Sort:
        found = issues_of_project(read, 7, filters, sort)
        assert {issue.issue_id: issue.event_count for issue in found.issues} == {101: 1, 102: 1}
        assert asked(partial(issues_of_project, read, 7, filters, sort)) == expected, sort
    of_issue = ["actions_about_issue", "fingerprint_of_issue", "variants_of_issue"]
    of_issue += ["counts_of_issues", "project_began", "issue_tags"]
    for issue_id in (101, 102):
        asked_of_head = asked(partial(issue_head, read, 7, issue_id, period))
        assert asked_of_head == sorted([*OF_BUILDS, *OF_NOW, *of_issue]), issue_id
    build_marts(warehouse, *MARTS_OF_ISSUES)
    filters = IssueFilters(Period("14d").of_events(now()))
    assert "arrivals" not in asked(lambda: issues_of_project(read, 7, filters))


@pytest.mark.slow
@pytest.mark.usefixtures("built")
def test_a_variant_that_totals_know_is_looked_at_again_when_it_moves(
    read: Warehouse, ingest: Warehouse
) -> None:
    insert(ingest, "errata_raw.variant_issues", [a_mapping(issue_id=102, authority=2)])
    filters = IssueFilters(Period("14d").of_events(now()))
    (issue,) = issues_of_project(read, 7, filters).issues
    assert (issue.issue_id, issue.event_count) == (102, 2)
    assert "moved_variants" in asked(lambda: issues_of_project(read, 7, filters))


@pytest.mark.slow
@pytest.mark.usefixtures("built")
def test_a_variant_that_an_erasure_records_again_may_move(
    warehouse: WarehouseProcess, read: Warehouse, ingest: Warehouse
) -> None:
    admin = warehouse.client(Role.ADMIN)
    admin.execute("alter table errata_raw.variants delete where variant_hash = 1 settings mutations_sync = 1")
    admin.close()
    record(ingest, 1, now() - timedelta(days=80))
    insert(ingest, "errata_raw.variant_issues", [a_mapping(issue_id=102, authority=2)])
    (issue,) = issues_of_project(read, 7, IssueFilters(Period("14d").of_events(now()))).issues
    assert (issue.issue_id, issue.event_count) == (102, 2)
