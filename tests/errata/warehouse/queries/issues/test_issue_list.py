"""The list is what brute force over all deliveries says, whatever is built, decided or moved meanwhile."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from errata.period import Period, TimeRange
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.counts import issue_counts
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.issue import Issue
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Sort, Status
from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from tests.builders import Row, a_deletion, a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.periods import period_ago
from tests.processes import WarehouseProcess
from tests.warehouse_builds import BRISK, MARTS_OF_ISSUES, some_events

NUMBERS = range(1, 6)
STANDARD = ("24h", "7d", "14d", "30d", "90d")
SEEN = timedelta(days=80)
Matches = Callable[[Row], bool]
Keeps = Callable[["Expected"], bool]


def everything(_: object) -> bool:
    return True


@dataclass(frozen=True)
class Question:
    """What is asked, and which events and issues brute force keeps."""

    sort: Sort
    period: str
    environment: str = ""
    release: str = ""
    text: str = ""
    matches: Matches = everything
    keeps: Keeps = everything


QUESTIONS = (
    *(Question(sort, period) for sort, period in zip((*Sort, Sort.EVENTS), STANDARD, strict=True)),
    *(Question(sort, "14d", environment="staging") for sort in Sort),
    Question(Sort.EVENTS, "14d", text="events:>3", keeps=lambda issue: issue.event_count > 3),
    Question(Sort.LAST_SEEN, "30d", text="users:>2", keeps=lambda issue: issue.user_count > 2),
    Question(Sort.FIRST_SEEN, "90d", text="!title:*5", keeps=lambda issue: 5 not in issue.variants),
    Question(Sort.USERS, "7d", text="is:unresolved", keeps=lambda issue: issue.status != "resolved"),
    # By days and hours.
    Question(Sort.EVENTS, "14d", release="shop@1.0", matches=lambda event: event["release"] == "shop@1.0"),
    Question(Sort.USERS, "2w", text="environment:staging", matches=lambda e: e["environment"] == "staging"),
    Question(Sort.LAST_SEEN, "36h", text="!release:shop@1.0", matches=lambda e: e["release"] != "shop@1.0"),
    Question(Sort.FIRST_SEEN, "20d"),
    Question(Sort.USERS, "50h/20h"),
    Question(Sort.LAST_SEEN, "60d/3d", environment="staging"),
    # By events.
    Question(Sort.EVENTS, "5h"),
    Question(Sort.USERS, "300h/295h", environment="production"),
    Question(Sort.FIRST_SEEN, "20d/6d", text="level:error", matches=lambda event: event["level"] == "error"),
    Question(Sort.USERS, "30d", text="level:warning", matches=lambda event: event["level"] == "warning"),
    Question(
        Sort.LAST_SEEN,
        "48h",
        environment="production",
        text="level:error users:>0",
        matches=lambda event: event["level"] == "error",
        keeps=lambda issue: issue.user_count > 0,
    ),
)


@dataclass(frozen=True)
class Expected:
    issue_id: int
    variants: frozenset[int]
    status: str
    event_count: int
    user_count: int
    first_seen: datetime
    last_seen: datetime


@dataclass
class World:
    """What was delivered, in its order, and where variants belong."""

    warehouse: WarehouseProcess
    now: datetime
    delivered: list[Row] = field(default_factory=list)
    home: dict[int, int] = field(default_factory=dict)
    status: dict[int, str] = field(default_factory=dict)
    deleted: dict[int, int] = field(default_factory=dict)
    """By variant how many deliveries were there when it was deleted."""
    turns: Iterator[int] = field(default_factory=count)

    @property
    def read(self) -> Warehouse:
        return self.warehouse.client(Role.READ)

    def record(self, numbers: Sequence[int]) -> None:
        """Variant 1 is issue 101 and so on."""
        ingest = self.warehouse.client(Role.INGEST)
        variants = [
            a_variant(variant_hash=n, first_seen_at=self.recorded_at(n), title=f"ValueError: {n}")
            for n in numbers
        ]
        insert(ingest, "errata_raw.variants", variants)
        mappings = [a_mapping(variant_hash=n, issue_id=100 + n) for n in numbers]
        insert(ingest, "errata_raw.variant_issues", mappings)
        self.home |= {n: 100 + n for n in numbers}

    def recorded_at(self, number: int) -> datetime:
        return (self.now - SEEN + timedelta(minutes=number)).replace(microsecond=0)

    def deliver(self, rows: Sequence[Row]) -> None:
        insert(self.warehouse.client(Role.INGEST), "errata_raw.error_events", rows)
        self.delivered += rows

    def build(self, *marts: str) -> None:
        list(build_due(self.warehouse.client(Role.BUILD), marts or MARTS_OF_ISSUES, BRISK))

    def decide(self, issue_id: int, action: str, **values: object) -> None:
        row = an_issue_action(issue_id=issue_id, action=action, **values)
        insert(self.warehouse.client(Role.INGEST), "errata_raw.issue_actions", [row])

    def merge(self, issue_id: int, into: int) -> None:
        self.decide(issue_id, "merge", target_issue_id=into)
        self.home = {n: into if home == issue_id else home for n, home in self.home.items()}

    def place(self, number: int, issue_id: int) -> None:
        mapping = a_mapping(variant_hash=number, issue_id=issue_id, authority=2)
        insert(self.warehouse.client(Role.INGEST), "errata_raw.variant_issues", [mapping])
        self.home[number] = issue_id

    def delete(self, issue_id: int) -> None:
        variants = [n for n, home in self.home.items() if home == issue_id]
        insert(
            self.warehouse.client(Role.INGEST), "errata_raw.issue_actions", [a_deletion(issue_id, *variants)]
        )
        self.deleted |= dict.fromkeys(variants, len(self.delivered))

    def expected(self, question: Question) -> list[Expected]:
        period = period_ago(question.period, self.now).of_events(self.now)
        firsts: dict[object, Row] = {}
        for place, row in enumerate(self.delivered):
            firsts.setdefault(row["item_id"], {**row, "place": place})
        kept = [row for row in firsts.values() if row["place"] >= self.deleted.get(row["variant_hash"], 0)]
        found = (self._issue(issue_id, kept, question, period) for issue_id in set(self.home.values()))
        return [issue for issue in found if issue and question.keeps(issue)]

    def _issue(
        self, issue_id: int, kept: Sequence[Row], question: Question, period: TimeRange
    ) -> Expected | None:
        variants = frozenset(n for n, home in self.home.items() if home == issue_id)
        own = [row for row in kept if row["variant_hash"] in variants]
        counted = [
            row
            for row in own
            if period.since <= row["occurred_at"] < period.until
            and question.environment in ("", row["environment"])
            and question.matches(row)
        ]
        if not counted:
            return None
        recorded = [self.recorded_at(n) for n in variants if n not in self.deleted]
        return Expected(
            issue_id=issue_id,
            variants=variants,
            status=self.status.get(issue_id, "unresolved"),
            event_count=len(counted),
            user_count=len({row["user_hash"] for row in counted} - {0}),
            first_seen=min(recorded + [row["occurred_at"] for row in own]),
            last_seen=max(row["occurred_at"] for row in own),
        )


@pytest.fixture
def world(warehouse: WarehouseProcess) -> Iterator[World]:
    made = World(warehouse, datetime.now(UTC))
    made.record(NUMBERS)
    yield made


def events(random_: random.Random, now: datetime, count: int, variants: Sequence[int] = NUMBERS) -> list[Row]:
    """Of two releases and levels."""
    return [
        {
            **row,
            "variant_hash": random_.choice(variants),
            "release": random_.choice(["shop@1.0", "shop@1.1", ""]),
            "level": random_.choice(["error", "warning"]),
        }
        for row in some_events(random_, now, count)
    ]


def asked(read: Warehouse, question: Question, now: datetime) -> Sequence[Issue]:
    filters = IssueFilters(
        period_ago(question.period, now).of_events(now),
        question.environment,
        question.release,
        text=question.text,
    )
    return issues_of_project(read, 7, filters, question.sort).issues


def assert_exact(world: World, questions: Sequence[Question] = ()) -> None:
    """Asks the questions given; else every third one, beginning with the next one each time."""
    if not questions:
        questions = QUESTIONS[next(world.turns) % 3 :: 3]
    for question in questions:
        found, expected = asked(world.read, question, world.now), world.expected(question)
        by_id = {issue.issue_id: issue for issue in found}
        assert by_id.keys() == {issue.issue_id for issue in expected}, question
        for issue in expected:
            listed = by_id[issue.issue_id]
            assert (listed.event_count, listed.user_count) == (issue.event_count, issue.user_count), question
            assert (listed.first_seen, listed.last_seen) == (issue.first_seen, issue.last_seen), question
            assert listed.status == issue.status, question
            assert sum(listed.sparkline) == listed.event_count, question
        values = [value_of(issue, question.sort) for issue in found]
        assert values == sorted(values, reverse=True), question


def value_of(issue: Issue, sort: Sort) -> float:
    return {
        Sort.EVENTS: issue.event_count,
        Sort.USERS: issue.user_count,
        Sort.FIRST_SEEN: issue.first_seen.timestamp(),
        Sort.LAST_SEEN: issue.last_seen.timestamp(),
    }[sort]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_question_is_answered_as_by_brute_force_before_and_after_builds(world: World) -> None:
    chance, now = random.Random(5), world.now
    world.deliver(events(chance, now, 60))
    assert_exact(world)
    world.build()
    assert_exact(world)
    # Repeated, late, ahead of the clock; nothing of it is in a mart yet.
    world.deliver([*events(chance, now, 30), *chance.sample(world.delivered, 40)])
    assert_exact(world)
    world.build("variant_hourly")
    assert_exact(world)
    world.build("variant_daily")
    world.deliver(events(chance, now, 20))
    assert_exact(world)
    # The totals of variants know more than those of issues.
    world.build("variant_totals")
    world.deliver(events(chance, now, 10))
    assert_exact(world)
    world.build()
    world.deliver(chance.sample(world.delivered, 40))
    assert_exact(world, QUESTIONS)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_is_decided_merged_split_or_deleted_shows_at_once(world: World) -> None:
    chance, now = random.Random(9), world.now
    world.deliver(events(chance, now, 80))
    world.build()
    world.deliver(events(chance, now, 10))
    world.decide(103, "resolve")
    world.status[103] = "resolved"
    world.merge(104, into=101)
    assert_exact(world)
    world.place(2, 109)
    world.record([6])
    world.deliver(events(chance, now, 5, [6]))
    assert_exact(world)
    world.build()
    assert_exact(world)
    world.delete(105)
    assert_exact(world)
    world.deliver(events(chance, now, 6, [5]))
    assert_exact(world)
    world.build()
    world.place(2, 101)
    world.deliver(events(chance, now, 10))
    assert_exact(world, QUESTIONS)
    world.build()
    assert_exact(world)


@pytest.mark.slow
def test_a_user_of_an_issue_and_of_one_merged_into_it_counts_once_without_newer_events(world: World) -> None:
    """The target's totals hold as built, and those of the variant that joined are added."""
    moment = world.now.replace(microsecond=0)
    users = ((1, 8), (1, 9), (2, 9), (2, 10))
    seen = {"occurred_at": moment, "received_at": moment - timedelta(hours=1)}
    world.deliver([an_error_event(variant_hash=n, user_hash=user, **seen) for n, user in users])
    world.build()
    world.merge(102, into=101)
    assert_exact(world)
    counts = issue_counts(world.read, 7, 101, Period("14d").of_events(world.now))
    assert counts.counted_in("14d").user_count == 3


@pytest.mark.slow
def test_a_deletion_that_is_taken_back_shows_at_once(world: World) -> None:
    world.deliver(events(random.Random(3), world.now, 60))
    world.build()
    deletion = a_deletion(103, 3)
    insert(world.warehouse.client(Role.INGEST), "errata_raw.issue_actions", [deletion])
    question = Question(Sort.EVENTS, "90d")
    assert {issue.issue_id for issue in asked(world.read, question, world.now)} == {101, 102, 104, 105}
    world.build()
    world.decide(103, "undo", about_action_id=deletion["action_id"])
    assert_exact(world)


@pytest.mark.parametrize("is_built", [False, True])
@pytest.mark.slow
def test_hours_and_days_are_of_all_events_and_left_out_of_a_search(world: World, is_built: bool) -> None:
    moments = [timedelta(minutes=1), timedelta(hours=3), timedelta(days=3), timedelta(days=40)]
    world.deliver([an_error_event(occurred_at=world.now - age) for age in moments])
    if is_built:
        world.build()
    (issue,) = asked(world.read, Question(Sort.EVENTS, "90d"), world.now)
    if is_built:
        assert (sum(issue.sparkline), sum(issue.hours), sum(issue.days)) == (4, 2, 3)
        assert (len(issue.sparkline), len(issue.hours), len(issue.days)) == (31, 25, 31)
    (searched,) = asked(world.read, Question(Sort.EVENTS, "90d", text="level:error"), world.now)
    assert (sum(searched.sparkline), searched.hours, searched.days) == (4, (), ())


@pytest.mark.slow
def test_pages_of_built_issues_follow_each_other(world: World) -> None:
    world.deliver(events(random.Random(6), world.now, 60))
    world.build()
    for sort in Sort:
        found, cursor = list[Issue](), ""
        while True:
            filters = IssueFilters(Period("90d").of_events(world.now))
            page = issues_of_project(world.read, 7, filters, sort, limit=2, cursor=cursor)
            found += page.issues
            if page.next_cursor is None:
                break
            cursor = page.next_cursor
        whole = asked(world.read, Question(sort, "90d"), world.now)
        assert [issue.issue_id for issue in found] == [issue.issue_id for issue in whole]


def test_states_are_those_of_now(world: World) -> None:
    world.deliver([an_error_event(variant_hash=n, occurred_at=world.now) for n in NUMBERS])
    world.decide(103, "resolve")
    found = {issue.issue_id: issue.status for issue in asked(world.read, QUESTIONS[0], world.now)}
    assert found == {n + 100: Status.RESOLVED if n == 3 else Status.UNRESOLVED for n in NUMBERS}
    world.decide(103, "unresolve")
    statuses: Mapping[int, Status] = {
        issue.issue_id: issue.status for issue in asked(world.read, QUESTIONS[0], world.now)
    }
    assert set(statuses.values()) == {Status.UNRESOLVED}
