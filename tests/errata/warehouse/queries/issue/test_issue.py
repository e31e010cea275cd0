from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from errata.errors import InvalidParameter
from errata.period import Period, TimeRange
from errata.warehouse.client import NoAnswerInTime, QueryFailed, TooMuchToRead, Warehouse, limit_of
from errata.warehouse.queries.issue import merged_issue as questions
from errata.warehouse.queries.issue.counts import VariantCount, counts_by_variant
from errata.warehouse.queries.issue.events import (
    EventFilters,
    event_by_id,
    event_of_issue,
    events_of_issue,
    most_telling_event,
    neighbours_of_event,
)
from errata.warehouse.queries.issue.head import IssueHead, issue_head
from errata.warehouse.queries.issue.merged_issue import MergedIssue
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Status
from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from pipelines.builder.lease import Pace
from tests.builders import Row, a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess
from tests.warehouse_builds import MARTS_OF_ISSUES

FAST = Pace(lag=timedelta(0), settle=timedelta(milliseconds=100))
NOW = datetime.now(UTC).replace(microsecond=0)
PERIOD = Period("7d").of_events(NOW)


def head_of(read: Warehouse, issue_id: int = 101, period: TimeRange = PERIOD) -> IssueHead:
    head = issue_head(read, 7, issue_id, period)
    assert head is not None
    return head


def whole_of(read: Warehouse) -> MergedIssue:
    return head_of(read).merged


def two_issues(ingest: Warehouse) -> list[Row]:
    """Issue 101 (variants 1 and 2) with seven events, one of them 10 days ago; issue 103 with one."""
    insert(
        ingest,
        "errata_raw.variants",
        [
            a_variant(variant_hash=n, title=f"of {n}", first_seen_at=NOW - timedelta(days=10))
            for n in (1, 2, 3)
        ],
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=n, issue_id=103 if n == 3 else 101) for n in (1, 2, 3)],
    )
    events = [
        an_error_event(
            variant_hash=1 + n % 2,
            occurred_at=NOW - timedelta(days=10 if n == 6 else 0, minutes=n),
            user_hash=n % 3,
            user_email=f"u{n}@example.org",
            environment="staging" if n == 5 else "production",
            tags={"region": "eu" if n < 4 else "us"},
            payload=f'{{"n": {n}}}',
        )
        for n in range(7)
    ]
    events.append(an_error_event(variant_hash=3, occurred_at=NOW - timedelta(hours=1), level="fatal"))
    insert(ingest, "errata_raw.error_events", events)
    insert(ingest, "errata_raw.error_events", events)
    return events


@pytest.mark.slow
def test_the_head_counts_the_period_and_all_time(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    two_issues(ingest)
    for _ in ("live", "built"):
        head = issue_head(read, 7, 101, PERIOD)
        assert head is not None
        assert (head.event_count, head.user_count, head.total_event_count) == (6, 2, 7)
        assert (head.first_seen, head.last_seen) == (NOW - timedelta(days=10, minutes=6), NOW)
        assert (head.status, head.variant_count, head.acted_at) == (Status.UNRESOLVED, 2, None)
        staging = issue_head(read, 7, 101, PERIOD, environment="staging")
        assert staging is not None and staging.event_count == 1
        list(build_due(warehouse.client(Role.BUILD), ["variant_hourly", "variant_daily"], FAST))
    assert issue_head(read, 7, 999, PERIOD) is None
    assert issue_head(read, 8, 101, PERIOD) is None


@pytest.mark.slow
def test_totals_and_what_arrived_since_are_what_all_events_are(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    events = two_issues(ingest)

    def build() -> None:
        marts = ["variant_hourly", "variant_daily", "variant_totals"]
        list(build_due(warehouse.client(Role.BUILD), marts, FAST))

    build()
    late = [
        an_error_event(variant_hash=1, occurred_at=moment, release="shop@2.0", user_hash=user)
        for moment, user in ((NOW - timedelta(minutes=1), 9), (NOW - timedelta(days=12), 1))
    ]
    # A repeat of what is built, one of what is not, and one that came as another issue's first.
    foreign = {**events[7], "variant_hash": 1}
    insert(ingest, "errata_raw.error_events", [*late, *events[:2], late[0], foreign])
    before = head_of(read)
    assert (before.event_count, before.user_count, before.total_event_count) == (7, 3, 9)
    assert (before.first_seen, before.first_release) == (NOW - timedelta(days=12), "shop@2.0")
    assert counts_by_variant(read, before.merged) == {
        1: VariantCount(6, NOW),
        2: VariantCount(3, NOW - timedelta(minutes=1)),
    }
    build()
    assert head_of(read) == before
    # Periods that no total holds are counted by days.
    assert head_of(read, period=Period("11d").of_events(NOW)).event_count == 8


@pytest.mark.slow
def test_a_flood_since_the_build_is_counted_to_the_last_event_and_user(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    two_issues(ingest)
    marts = ["variant_hourly", "variant_daily", "variant_totals"]
    list(build_due(warehouse.client(Role.BUILD), marts, FAST))
    flood = [an_error_event(variant_hash=1, occurred_at=NOW, user_hash=10 + n) for n in range(4500)]
    # More users than one question can name, then more events.
    for start, end in ((0, 1000), (1000, 4500)):
        insert(ingest, "errata_raw.error_events", flood[start:end])
        head = head_of(read)
        assert (head.event_count, head.total_event_count) == (6 + end, 7 + end)
        assert abs(head.user_count - 2 - end) <= 0.02 * end
        counted = counts_by_variant(read, head.merged)
        assert sum(count.event_count for count in counted.values()) == 7 + end


@pytest.mark.slow
def test_a_merged_issue_answers_as_the_one_it_is_part_of(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    two_issues(ingest)
    insert(
        ingest,
        "errata_raw.issue_actions",
        [an_issue_action(issue_id=103, action="merge", target_issue_id=101)],
    )
    head = issue_head(read, 7, 103, PERIOD)
    assert head is not None
    assert (head.issue_id, head.merged_into, head.total_event_count) == (101, 101, 8)
    merged = issue_head(read, 7, 101, PERIOD)
    assert merged is not None and (merged.merged_into, merged.total_event_count) == (0, 8)


@pytest.mark.slow
def test_what_an_issue_is_made_of_is_read_anew_when_a_mapping_concerns_it(
    warehouse: WarehouseProcess,
) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    two_issues(ingest)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=n) for n in (8, 9)])
    known = whole_of(read)
    for variant_hash, issue_id, variants in ((8, 103, {1, 2}), (9, 101, {1, 2, 9}), (2, 103, {1, 9})):
        mapping = a_mapping(variant_hash=variant_hash, issue_id=issue_id, authority=2)
        insert(ingest, "errata_raw.variant_issues", [mapping])
        assert set(whole_of(read).variant_hashes) == variants
    assert set(known.variant_hashes) == {1, 2}


@pytest.mark.slow
def test_the_history_holds_every_event_of_the_period_once(warehouse: WarehouseProcess) -> None:
    two_issues(warehouse.client(Role.INGEST))
    for text, expected in (("24h", 6), ("7d", 6), ("30d", 7), ("1h", 6)):
        period = Period(text).of_events(NOW)
        history = head_of(warehouse.client(Role.READ), 101, period).history
        assert {environment for environment, _ in history.lines} == {"production", "staging"}
        assert sum(sum(counts) for _, counts in history.lines) == expected
        assert {len(counts) for _, counts in history.lines} == {len(history.bucket_starts)}


@pytest.mark.slow
def test_tags_of_the_latest_events_are_counted(warehouse: WarehouseProcess) -> None:
    two_issues(warehouse.client(Role.INGEST))
    tags = {tag.tag: tag.values for tag in head_of(warehouse.client(Role.READ)).tags}
    assert tags["region"] == (("eu", 4), ("us", 3))
    assert tags["environment"] == (("production", 6), ("staging", 1))


@pytest.mark.slow
def test_events_come_newest_first_and_once(warehouse: WarehouseProcess) -> None:
    events = two_issues(warehouse.client(Role.INGEST))
    read = warehouse.client(Role.READ)
    found, cursor = list[UUID](), ""
    while True:
        page = events_of_issue(read, whole_of(read), limit=3, cursor=cursor)
        found += [event.event_id for event in page.events]
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
    assert found == [event["item_id"] for event in events[:7]]
    (staged,) = events_of_issue(read, whole_of(read), filters=EventFilters("staging")).events
    assert staged.user.email == "u5@example.org"
    with pytest.raises(InvalidParameter):
        events_of_issue(read, whole_of(read), cursor="bm8")


@pytest.mark.slow
def test_events_received_long_before_they_occurred_are_listed_and_opened(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    usual = two_issues(ingest)
    early = an_error_event(
        variant_hash=1, occurred_at=NOW + timedelta(seconds=1), received_at=NOW - timedelta(days=5)
    )
    insert(ingest, "errata_raw.error_events", [early])
    list(build_due(warehouse.client(Role.BUILD), MARTS_OF_ISSUES, FAST))
    late = an_error_event(variant_hash=1, occurred_at=NOW - timedelta(days=9))
    insert(ingest, "errata_raw.error_events", [late])
    merged = whole_of(read)
    listed = [event.event_id for event in events_of_issue(read, merged).events]
    own = [event["item_id"] for event in usual if event["variant_hash"] != 3]
    assert listed == [early["item_id"], *own[:6], late["item_id"], own[6]]
    for event_id in listed:
        found = event_of_issue(read, merged, event_id)
        assert found and found.event_id == event_id


@pytest.mark.slow
def test_an_id_that_two_issues_have_opens_in_each_the_event_of_its_own(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    shared = two_issues(ingest)[-1]["item_id"]
    earlier, later = (
        an_error_event(item_id=shared, variant_hash=1, occurred_at=NOW - ago, message=f"{ago}", payload="{}")
        for ago in (timedelta(days=2), timedelta(seconds=1))
    )
    insert(ingest, "errata_raw.error_events", [earlier])
    merged, other = whole_of(read), head_of(read, 103).merged
    for issue, level in ((merged, "error"), (other, "fatal")):
        (listed,) = (event for event in events_of_issue(read, issue).events if event.event_id == shared)
        opened = event_of_issue(read, issue, shared)
        assert opened and opened.level == listed.level == level
        assert opened.occurred_at == listed.occurred_at
    insert(ingest, "errata_raw.error_events", [later])
    opened = event_of_issue(read, merged, shared)
    assert opened and opened.occurred_at == later["occurred_at"]


@pytest.mark.slow
def test_one_event_with_its_payload_and_neighbours(warehouse: WarehouseProcess) -> None:
    events = two_issues(warehouse.client(Role.INGEST))
    read = warehouse.client(Role.READ)
    event = event_by_id(read, [7], events[1]["item_id"])
    assert event is not None
    assert (event.issue_id, event.payload, event.occurred_at) == (101, {"n": 1}, NOW - timedelta(minutes=1))
    head = head_of(read)
    neighbours = neighbours_of_event(read, head.merged, head.counts, event)
    assert neighbours.older == events[2]["item_id"]
    assert neighbours.newer == neighbours.newest == events[0]["item_id"]
    assert neighbours.oldest == events[6]["item_id"]
    first = event_by_id(read, [7], events[0]["item_id"])
    assert first is not None and neighbours_of_event(read, head.merged, head.counts, first).newer is None
    assert event_by_id(read, [8], events[1]["item_id"]) is None
    assert event_by_id(read, [7], uuid4()) is None


def test_the_most_telling_event_is_the_newest_of_those_with_most_to_read(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    two_issues(ingest)
    full = {
        "request_url": "/cart",
        "user_hash": 3,
        "payload": '{"breadcrumbs": [], "exception": {"context_line": "x", "vars": {}}}',
    }
    text_only = {"payload": '{"message": "\\"vars\\" and \\"context_line\\""}'}
    told = [
        an_error_event(variant_hash=1, occurred_at=NOW - timedelta(minutes=minutes), **values)
        for minutes, values in ((3, full), (2, full), (1, text_only))
    ]
    insert(ingest, "errata_raw.error_events", told)
    head = head_of(read)
    assert most_telling_event(read, head.merged, head.counts) == told[1]["item_id"]


def test_events_keep_what_is_particular_to_them(warehouse: WarehouseProcess) -> None:
    two_issues(warehouse.client(Role.INGEST))
    read = warehouse.client(Role.READ)
    page = events_of_issue(read, whole_of(read))
    assert [event.tags["region"] for event in page.events] == ["eu"] * 4 + ["us"] * 3


@pytest.mark.parametrize("limit", ["max_result_rows", "max_rows_to_read", "max_bytes_to_read"])
def test_a_list_that_takes_too_much_says_so(warehouse: WarehouseProcess, limit: str) -> None:
    two_issues(warehouse.client(Role.INGEST))
    narrow = Warehouse(warehouse.url(Role.READ), settings={limit: 1})
    with pytest.raises(TooMuchToRead, match=r"^Too much data to read: choose a shorter period"):
        issues_of_project(narrow, 7, IssueFilters(PERIOD))


def test_a_question_is_limited_by_its_work_however_fast_it_is(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    read.rows("select count() from numbers(200000000)")
    with pytest.raises(TooMuchToRead):
        read.rows("select count() from numbers(200100000)")


def test_a_busy_server_is_not_said_to_have_too_much_data(warehouse: WarehouseProcess) -> None:
    slow = "select count(sleepEachRow(0.5)) from numbers(10) settings max_block_size = 1"
    with pytest.raises(NoAnswerInTime, match=r"^The server is busy and didn't respond in time"):
        warehouse.client(Role.READ).limited(1).rows(slow)
    # The memory that all statements take together, and what one takes.
    assert limit_of(QueryFailed("(total) memory limit exceeded: would use 2 GiB", 241)) is NoAnswerInTime
    assert limit_of(QueryFailed("Query memory limit exceeded: would use 600 MB", 241)) is TooMuchToRead
    assert limit_of(QueryFailed("no such column", 47)) is None


@pytest.mark.slow
@pytest.mark.parametrize("most_lists", [pytest.param(2, id="named"), pytest.param(1, id="asked for")])
def test_an_issue_of_more_variants_than_one_parameter_holds_has_the_same_events(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch, most_lists: int
) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    two_issues(ingest)
    before = events_of_issue(read, whole_of(read)).events
    monkeypatch.setattr(questions, "MOST_LISTED", 1)
    monkeypatch.setattr(questions, "MOST_LISTS", most_lists)
    assert len(before) == 7
    assert events_of_issue(read, whole_of(read)).events == before
