import json
import random
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from api.jobs.regressions import mark_regressions
from errata.errors import InvalidParameter
from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.issue import Issue
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Sort, Status
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.lease import Pace
from pipelines.marts.registry import VARIANT_DAILY, VARIANT_HOURLY
from tests.builders import a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess

FAST = Pace(lag=timedelta(0), settle=timedelta(milliseconds=100))
NOW = datetime.now(UTC).replace(microsecond=0)
SECOND = timedelta(seconds=1)


def three_issues(ingest: Warehouse) -> None:
    """Issue 101 has variants 1 and 2, issue 103 variant 3, issue 104 variant 4 of 20 days ago."""
    names = {1: "ValueError", 2: "ValueError", 3: "KeyError", 4: "OSError"}
    insert(
        ingest,
        "errata_raw.variants",
        [
            a_variant(
                variant_hash=n, type=name, title=f"{name}: of {n}", first_seen_at=NOW - timedelta(days=30)
            )
            for n, name in names.items()
        ],
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=n, issue_id=101 if n == 2 else 100 + n) for n in names],
    )
    ages = {1: timedelta(minutes=5), 2: timedelta(hours=30), 3: timedelta(minutes=1), 4: timedelta(days=20)}
    events = [
        an_error_event(
            variant_hash=n,
            occurred_at=NOW - age,
            user_hash=user,
            environment="staging" if n == 3 else "production",
            release=f"shop@{n}",
            type=names[n],
        )
        for n, age in ages.items()
        for user in range(n)
    ]
    insert(ingest, "errata_raw.error_events", events + events[:3])


def listed(read: Warehouse, period: str = "14d", sort: Sort = Sort.LAST_SEEN, **filters: str) -> list[Issue]:
    chosen = IssueFilters(Period(period).of_events(NOW), **filters)  # type: ignore[arg-type]
    return list(issues_of_project(read, 7, chosen, sort).issues)


@pytest.mark.slow
def test_the_list_counts_the_period_and_remembers_all_time(warehouse: WarehouseProcess) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    assert listed(read) == []
    three_issues(ingest)
    before = {period: listed(read, period) for period in ("1h", "24h", "14d", "90d")}
    assert [(issue.issue_id, issue.event_count, issue.user_count) for issue in before["14d"]] == [
        (103, 3, 2),
        (101, 3, 1),
    ]
    assert [(issue.issue_id, issue.event_count) for issue in before["24h"]] == [(103, 3), (101, 1)]
    assert [issue.issue_id for issue in before["90d"]] == [103, 101, 104]
    first = before["24h"][1]
    assert (first.first_seen, first.last_seen) == (NOW - timedelta(days=30), NOW - timedelta(minutes=5))
    assert (first.first_release, first.last_release) == ("shop@2", "shop@1")
    assert sum(first.sparkline) == 1 and first.id == "0000000000000065"
    build(builder, VARIANT_HOURLY, FAST)
    assert {period: listed(read, period) for period in before} == before
    build(builder, VARIANT_DAILY, FAST)
    assert {period: listed(read, period) for period in before} == before


@pytest.mark.slow
def test_the_list_is_narrowed_and_sorted(warehouse: WarehouseProcess) -> None:
    three_issues(warehouse.client(Role.INGEST))
    read = warehouse.client(Role.READ)

    def found(**filters: str) -> list[int]:
        return [issue.issue_id for issue in listed(read, "30d", **filters)]  # type: ignore[arg-type]

    assert found(environment="staging") == [103]
    assert found(release="shop@2") == [101]
    assert found(text="keyerror") == [103]
    assert found(text="type:ValueError") == [101]
    assert found(text='"ValueError: of" 2') == [101]
    assert found(text="release:shop@2 environment:staging") == []
    assert found(text="shop.cart level:error is:resolved") == []
    assert found(text="no:such") == []
    assert [issue.issue_id for issue in listed(read, "30d", Sort.EVENTS)] == [104, 103, 101]
    assert [issue.issue_id for issue in listed(read, "30d", Sort.USERS)] == [104, 103, 101]


@pytest.mark.parametrize("sort", list(Sort))
def test_pages_hold_every_issue_once(warehouse: WarehouseProcess, sort: Sort) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    numbers = range(1, 24)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=n) for n in numbers])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=n, issue_id=n) for n in numbers])
    insert(
        ingest, "errata_raw.error_events", [an_error_event(variant_hash=n, occurred_at=NOW) for n in numbers]
    )
    filters, seen, cursor = IssueFilters(Period("24h").of_events(NOW)), list[int](), ""
    while True:
        page = issues_of_project(read, 7, filters, sort, limit=5, cursor=cursor)
        seen += [issue.issue_id for issue in page.issues]
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
    assert sorted(seen) == list(numbers)
    for wrong in ("x", "bm90LWEtY3Vyc29y", cursor[:-3]):
        with pytest.raises(InvalidParameter):
            issues_of_project(read, 7, filters, sort, cursor=wrong)


@pytest.mark.parametrize("sort", [Sort.EVENTS, Sort.LAST_SEEN])
@pytest.mark.slow
def test_events_that_come_between_two_pages_hide_no_issue(warehouse: WarehouseProcess, sort: Sort) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    chance, numbers = random.Random(7), range(1, 8)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=n) for n in numbers])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=n, issue_id=n) for n in numbers])
    long_ago = NOW - timedelta(hours=20)
    first = [
        an_error_event(
            variant_hash=n, occurred_at=long_ago + n * SECOND, received_at=NOW - timedelta(minutes=5)
        )
        for n in numbers
    ]
    insert(ingest, "errata_raw.error_events", first)
    filters, seen, cursor = IssueFilters(Period("48h").of_events(NOW)), list[int](), ""
    for _ in range(12):
        page = issues_of_project(read, 7, filters, sort, limit=2, cursor=cursor)
        assert len(page.issues) <= 2
        seen += [issue.issue_id for issue in page.issues]
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
        if len(seen) < 7:
            risen = chance.sample(numbers, 2)
            came = [
                an_error_event(variant_hash=n, occurred_at=NOW - chance.randrange(9) * SECOND) for n in risen
            ]
            insert(ingest, "errata_raw.error_events", came)
    assert set(seen) == set(numbers)


@pytest.mark.slow
def test_a_merge_shows_at_once_and_can_be_undone(warehouse: WarehouseProcess) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    three_issues(ingest)
    build(builder, VARIANT_HOURLY, FAST)
    build(builder, VARIANT_DAILY, FAST)
    insert(
        ingest,
        "errata_raw.issue_actions",
        [an_issue_action(issue_id=103, action="merge", target_issue_id=101)],
    )
    (merged,) = listed(read)
    assert (merged.issue_id, merged.event_count, merged.user_count, merged.type) == (101, 6, 2, "ValueError")
    insert(
        ingest,
        "errata_raw.issue_actions",
        [
            an_issue_action(issue_id=101, action="merge", target_issue_id=104),
            an_issue_action(issue_id=103, action="follow", target_issue_id=104),
        ],
    )
    assert [(issue.issue_id, issue.event_count) for issue in listed(read, "90d")] == [(104, 10)]
    insert(ingest, "errata_raw.issue_actions", [an_issue_action(issue_id=101, action="unmerge")])
    insert(ingest, "errata_raw.issue_actions", [an_issue_action(issue_id=103, action="unmerge")])
    assert [issue.issue_id for issue in listed(read)] == [103, 101]


@pytest.mark.slow
def test_a_resolved_issue_comes_back_with_a_later_event(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    three_issues(ingest)
    insert(ingest, "errata_raw.issue_actions", [an_issue_action(issue_id=103, action="resolve")])
    insert(ingest, "errata_raw.issue_actions", [an_issue_action(issue_id=101, action="ignore")])
    assert [(issue.issue_id, issue.status) for issue in listed(read)] == [
        (103, Status.RESOLVED),
        (101, Status.IGNORED),
    ]
    assert listed(read, text="is:unresolved") == []
    later = an_error_event(
        variant_hash=3, occurred_at=datetime.now(UTC) + timedelta(seconds=5), item_id=uuid4()
    )
    insert(ingest, "errata_raw.error_events", [later])
    assert mark_regressions(ingest, read, [7]) == 1
    (back,) = listed(read, text="is:unresolved")
    assert (back.issue_id, back.status) == (103, Status.REGRESSED)
    insert(ingest, "errata_raw.issue_actions", [an_issue_action(issue_id=103, action="unresolve")])
    assert [issue.status for issue in listed(read, text="is:unresolved")] == [Status.UNRESOLVED]


def test_an_event_of_a_release_beyond_the_bound_counts_by_its_time_alone(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    three_issues(ingest)
    resolved = json.dumps({"in": "next", "release": "shop@2.0.0"})
    for number in (101, 103):
        insert(
            ingest,
            "errata_raw.issue_actions",
            [an_issue_action(issue_id=number, action="resolve", detail=resolved)],
        )
    after = datetime.now(UTC) + timedelta(seconds=5)
    seen = [
        an_error_event(variant_hash=variant, occurred_at=after, item_id=uuid4(), release=release)
        for variant, release in ((1, "shop@2.0.0"), (3, "(other)"))
    ]
    # First seen long before: its place would be before the release.
    seen.append(an_error_event(variant_hash=4, occurred_at=NOW - timedelta(days=21), release="(other)"))
    insert(ingest, "errata_raw.error_events", seen)
    assert mark_regressions(ingest, read, [7]) == 1
    assert {issue.issue_id: issue.status for issue in listed(read)} == {
        101: Status.RESOLVED,
        103: Status.REGRESSED,
    }


def test_another_projects_issues_stay_its_own(warehouse: WarehouseProcess) -> None:
    three_issues(warehouse.client(Role.INGEST))
    read = warehouse.client(Role.READ)
    assert not issues_of_project(read, 8, IssueFilters(Period("90d").of_events(NOW))).issues
