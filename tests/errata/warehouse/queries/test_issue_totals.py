"""The list by totals is the list by counting days, whatever arrives, is decided or is built meanwhile."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries import issues as questions
from errata.warehouse.queries.asked import PERIODS, Asked
from errata.warehouse.queries.issue_totals import rows_by_totals
from errata.warehouse.queries.issues import Issue, IssueFilters, Sort, Status
from errata.warehouse.queries.period import Period
from errata.warehouse.roles import Role
from pipelines.build.due import build_due
from tests.builders import Row, a_deletion, a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess
from tests.warehouse_builds import BRISK, MARTS_OF_ISSUES, recounted, some_events

NUMBERS = range(1, 6)
ASKED = (
    (Sort.LAST_SEEN, "14d", "", "", ""),
    (Sort.FIRST_SEEN, "90d", "staging", "", "valueerror !is:resolved"),
    (Sort.EVENTS, "14d", "", "", "events:>3 !title:*5"),
    (Sort.USERS, "7d", "production", "", "is:unresolved culprit:*cart*"),
    (Sort.EVENTS, "14d", "", "shop@1.0", "users:>0"),
    (Sort.USERS, "2w", "", "", "environment:staging"),
    (Sort.LAST_SEEN, "30d", "", "", "level:error !release:nothing"),
)


@pytest.mark.slow
def test_a_page_by_totals_equals_a_recount_before_and_after_builds(warehouse: WarehouseProcess) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    random_, now = random.Random(5), datetime.now(UTC)
    record(ingest, now, NUMBERS)
    delivered: list[Row] = []

    def deliver(rows: list[Row]) -> None:
        insert(ingest, "errata_raw.error_events", rows)
        delivered.extend(rows)

    deliver(some_events(random_, now, 120))
    list(build_due(builder, MARTS_OF_ISSUES, BRISK))
    assert_exact(read, delivered, now, "7d")
    # Repeated, late, ahead of the clock; nothing of it is in a mart yet.
    deliver([*some_events(random_, now, 30), *random_.sample(delivered, 40)])
    assert_exact(read, delivered, now, *PERIODS)
    assert_as_by_days(read, now)
    list(build_due(builder, ["variant_hourly"], BRISK))
    assert_exact(read, delivered, now, "24h")
    list(build_due(builder, ["variant_daily"], BRISK))
    deliver(some_events(random_, now, 20))
    # Days are counted further by now than the totals of issues.
    assert_as_by_days(read, now)
    list(build_due(builder, MARTS_OF_ISSUES, BRISK))
    deliver(random_.sample(delivered, 40))
    assert_exact(read, delivered, now, "14d", "90d")


@pytest.mark.slow
def test_decisions_and_new_issues_show_before_any_build_knows_them(warehouse: WarehouseProcess) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    now = datetime.now(UTC)
    record(ingest, now, NUMBERS)
    insert(ingest, "errata_raw.error_events", past(some_events(random.Random(7), now, 100), now))
    list(build_due(builder, MARTS_OF_ISSUES, BRISK))

    def decide(**action: Any) -> None:
        insert(ingest, "errata_raw.issue_actions", [an_issue_action(**action)])

    known = page(read, "30d", now)
    decide(issue_id=103, action="resolve")
    assert page(read, "30d", now)[103].status is Status.RESOLVED
    decide(issue_id=103, action="unresolve")
    insert(ingest, "errata_raw.issue_actions", [a_deletion(105, 5)])
    left = page(read, "30d", now)
    assert left[103].status is Status.UNRESOLVED
    assert left.keys() == known.keys() - {105}
    record(ingest, now, [6])
    new = [{**row, "variant_hash": 6} for row in some_events(random.Random(2), now, 5)]
    insert(ingest, "errata_raw.error_events", new)
    more = page(read, "90d", now)
    assert (more[106].title, more[106].status) == ("ValueError: 6", Status.UNRESOLVED)
    assert all(sum(more[issue_id].days) > 0 for issue_id in (101, 106))
    back = an_error_event(variant_hash=5, occurred_at=datetime.now(UTC) + timedelta(seconds=5))
    insert(ingest, "errata_raw.error_events", [back])
    assert page(read, "30d", now)[105].event_count == 1


@pytest.mark.slow
def test_what_is_merged_and_split_shows_at_once_as_if_days_were_counted(warehouse: WarehouseProcess) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    now = datetime.now(UTC)
    record(ingest, now, NUMBERS)
    insert(ingest, "errata_raw.error_events", past(some_events(random.Random(9), now, 80), now))
    list(build_due(builder, MARTS_OF_ISSUES, BRISK))
    insert(ingest, "errata_raw.error_events", past(some_events(random.Random(6), now, 10), now))
    assert_pages_follow_each_other(read, now)
    before = {number: issue.event_count for number, issue in page(read, "30d", now).items()}
    merge = an_issue_action(issue_id=104, action="merge", target_issue_id=101)
    insert(ingest, "errata_raw.issue_actions", [merge])
    merged = {number: issue.event_count for number, issue in page(read, "30d", now).items()}
    assert merged == {**{i: n for i, n in before.items() if i != 104}, 101: before[101] + before[104]}
    placements = [a_mapping(variant_hash=n, issue_id=i, authority=2) for n, i in ((2, 109), (3, 105))]
    insert(ingest, "errata_raw.variant_issues", placements)
    insert(ingest, "errata_raw.issue_actions", [an_issue_action(issue_id=109, action="resolve")])
    assert page(read, "14d", now)[109].status is Status.RESOLVED
    assert page(read, "14d", now).keys() == {101, 105, 109}
    assert_as_by_days(read, now)
    list(build_due(builder, MARTS_OF_ISSUES, BRISK))
    unmerge = an_issue_action(issue_id=104, action="unmerge", target_issue_id=101)
    insert(ingest, "errata_raw.issue_actions", [unmerge])
    insert(ingest, "errata_raw.error_events", past(some_events(random.Random(8), now, 10), now))
    assert page(read, "30d", now).keys() == {101, 104, 105, 109}
    assert_as_by_days(read, now)


def assert_as_by_days(read: Warehouse, now: datetime) -> None:
    """As if there were no totals: everything is resolved and counted anew."""
    for sort, span, environment, release, text in ASKED:
        filters = IssueFilters(Period.parse(span, now), environment, release, text=text)
        asked = questions.issues_of_project(read, 7, filters, sort).issues
        counted, _ = questions.searched_rows(read, 7, filters, sort, 50, None)
        assert asked and [replace(issue, hours=(), days=()) for issue in asked] == [
            questions.listed_issue(row) for row in counted
        ]


def assert_pages_follow_each_other(read: Warehouse, now: datetime) -> None:
    for sort in Sort:
        places = list[tuple[int, int]]()
        while len(places) % 3 == 0:
            asked = Asked(
                7, Period.parse("30d", now), sort=sort.value, after=places[-1] if places else None, limit=3
            )
            places += [(row["sort_value"], row["issue_id"]) for row in answered(read, asked)]
        assert places == sorted(places, reverse=True)
        assert {issue_id for _, issue_id in places} == {100 + number for number in NUMBERS}


def record(ingest: Warehouse, now: datetime, numbers: Sequence[int]) -> None:
    """Variant 1 is issue 101 and so on."""
    seen = now - timedelta(days=80)
    variants = [
        a_variant(variant_hash=n, first_seen_at=seen + timedelta(minutes=n), title=f"ValueError: {n}")
        for n in numbers
    ]
    insert(ingest, "errata_raw.variants", variants)
    mappings = [a_mapping(variant_hash=n, issue_id=100 + n) for n in numbers]
    insert(ingest, "errata_raw.variant_issues", mappings)


def past(rows: Sequence[Row], now: datetime) -> list[Row]:
    return [{**row, "occurred_at": min(row["occurred_at"], now - timedelta(minutes=5))} for row in rows]


def page(read: Warehouse, period: str, now: datetime) -> dict[int, Issue]:
    answer = questions.issues_of_project(read, 7, IssueFilters(Period.parse(period, now)))
    return {issue.issue_id: issue for issue in answer.issues}


def assert_exact(read: Warehouse, delivered: Sequence[Row], now: datetime, *periods: str) -> None:
    asked = zip(PERIODS, ("", "staging", "", "", "staging"), (*Sort, Sort.LAST_SEEN), strict=True)
    for text, environment, sort in asked:
        if text not in periods:
            continue
        period = Period.parse(text, now)
        rows = answered(read, Asked(7, period, environment, sort=sort.value))
        values = [row["sort_value"] for row in rows]
        assert values == sorted(values, reverse=True)
        assert {counts(row) for row in rows} == expected(delivered, period, environment)
        assert all(sum(row["sparkline"]) == row["event_count"] for row in rows)


def answered(read: Warehouse, asked: Asked) -> list[Row]:
    found = rows_by_totals(read, asked)
    assert found is not None
    return found.rows


def counts(row: Row) -> tuple[object, ...]:
    return row["issue_id"], row["event_count"], row["user_count"], row["last_seen"].replace(tzinfo=None)


def expected(delivered: Sequence[Row], period: Period, environment: str) -> set[tuple[object, ...]]:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    whole = [{**row, "environment": ""} for row in delivered]
    last_seen = {row["variant_hash"]: row["last"] for row in recounted(whole, epoch)}
    chosen = [row for row in delivered if row["environment"] == environment] if environment else whole
    return {
        (100 + row["variant_hash"], row["event_count"], row["user_count"], last_seen[row["variant_hash"]])
        for row in recounted(chosen, period.since)
    }
