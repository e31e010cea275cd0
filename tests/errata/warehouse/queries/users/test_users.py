"""Lists about users are what brute force over all deliveries says, with issues merged and deleted."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from errata.errors import InvalidParameter
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.users.list import (
    UserFilters,
    UserRow,
    UserSort,
    user_of_project,
    users_of_project,
)
from errata.warehouse.queries.users.user import (
    LATEST,
    events_of_user,
    loads_of_user,
    sessions_of_user,
)
from errata.warehouse.roles import Role
from tests.builders import Row, an_error_event, insert
from tests.errata.warehouse.queries.issues.test_issue_list import World, events
from tests.page_loads import deliver, loads
from tests.periods import period_ago
from tests.processes import WarehouseProcess

Counts = tuple[int, int, datetime, datetime]


@dataclass(frozen=True)
class Question:
    period: str = "14d"
    environment: str = ""
    release: str = ""
    words: str = ""
    issue_id: int = 0

    def filters(self, now: datetime) -> UserFilters:
        period = period_ago(self.period, now).of_events(now)
        return UserFilters(period, self.environment, self.release, self.words, self.issue_id)


QUESTIONS = (
    Question(),
    Question("24h"),
    Question("50h/20h"),
    Question("300h/295h"),
    Question("90d", environment="staging"),
    Question("30d", release="shop@1.1"),
    Question("30d", environment="production", issue_id=101),
    Question("90d", issue_id=105),
    Question("30d", words="ID-12"),
    Question("30d", words="example.com 13"),
    Question("30d", words="nobody"),
)


@pytest.fixture
def world(warehouse: WarehouseProcess) -> Iterator[World]:
    made = World(warehouse, datetime.now(UTC))
    made.record(range(1, 6))
    yield made


def named(rows: list[Row]) -> list[Row]:
    """The same events with what an SDK would send of their users."""
    return [
        {**row, "user_id": f"id-{row['user_hash']}", "user_email": f"{row['user_hash']}@example.com"}
        if row["user_hash"]
        else row
        for row in rows
    ]


def kept(world: World, question: Question) -> list[Row]:
    firsts: dict[object, Row] = {}
    for place, row in enumerate(world.delivered):
        firsts.setdefault(row["item_id"], {**row, "place": place})
    chosen = period_ago(question.period, world.now).of_events(world.now)
    return [
        row
        for row in firsts.values()
        if row["place"] >= world.deleted.get(row["variant_hash"], 0)
        and row["user_hash"]
        and chosen.since <= row["occurred_at"] < chosen.until
        and question.environment in ("", row["environment"])
        and question.release in ("", row["release"])
        and question.issue_id in (0, world.home[row["variant_hash"]])
    ]


def expected(world: World, question: Question) -> dict[int, Counts]:
    found: dict[int, list[Row]] = {}
    for row in kept(world, question):
        found.setdefault(row["user_hash"], []).append(row)
    return {
        user: (
            len(rows),
            len({world.home[row["variant_hash"]] for row in rows}),
            min(row["occurred_at"] for row in rows),
            max(row["occurred_at"] for row in rows),
        )
        for user, rows in found.items()
        if all(word in f"id-{user} {user}@example.com" for word in question.words.lower().split())
    }


def counts(user: UserRow) -> Counts:
    return user.event_count, user.issue_count, user.first_seen, user.last_seen


def assert_exact(world: World) -> None:
    for question in QUESTIONS:
        filters, wanted = question.filters(world.now), expected(world, question)
        for sort in UserSort:
            shown = users_of_project(world.read, 7, filters, sort).users
            assert {user.user_hash: counts(user) for user in shown} == wanted, question
            values = [
                getattr(user, {"events": "event_count", "issues": "issue_count"}.get(sort, sort))
                for user in shown
            ]
            assert values == sorted(values, reverse=True)
    everything = Question("30d")
    for user, of_user in expected(world, everything).items():
        one = user_of_project(world.read, 7, everything.filters(world.now), user)
        assert one is not None
        assert (one.id, one.email, counts(one)) == (f"id-{user}", f"{user}@example.com", of_user)
        own = [row for row in kept(world, everything) if row["user_hash"] == user]
        listed = issues_of_project(
            world.read, 7, IssueFilters(everything.filters(world.now).period, user_hash=user)
        )
        by_issue = {issue.issue_id: issue.event_count for issue in listed.issues}
        homes = [world.home[row["variant_hash"]] for row in own]
        assert by_issue == {home: homes.count(home) for home in homes}
        latest = sorted(own, key=lambda row: (row["occurred_at"], row["item_id"].int), reverse=True)
        shown_events = events_of_user(world.read, 7, everything.filters(world.now), user)
        assert [event.occurred_at for event in shown_events] == [
            row["occurred_at"] for row in latest[:LATEST]
        ]
        assert {event.event_id: event.issue_id for event in shown_events}.items() <= {
            row["item_id"]: world.home[row["variant_hash"]] for row in own
        }.items()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_users_are_counted_as_by_brute_force_through_merges_and_deletions(world: World) -> None:
    chance, now = random.Random(11), world.now
    world.deliver(named(events(chance, now, 90)))
    world.deliver(chance.sample(world.delivered, 30))
    assert_exact(world)
    world.merge(104, into=101)
    assert_exact(world)
    world.delete(105)
    world.deliver(named(events(chance, now, 12, [5, 1])))
    world.deliver(chance.sample(world.delivered, 30))
    assert_exact(world)


@pytest.mark.slow
def test_pages_of_users_follow_each_other_and_an_unknown_cursor_is_refused(world: World) -> None:
    world.deliver(
        [an_error_event(user_hash=1 + number % 7, user_id=f"u{number % 7}") for number in range(25)]
    )
    filters = Question().filters(world.now)
    for sort in UserSort:
        found, cursor = list[int](), ""
        while True:
            page = users_of_project(world.read, 7, filters, sort, limit=3, cursor=cursor)
            found += [user.user_hash for user in page.users]
            if not (cursor := page.next_cursor or ""):
                break
        assert sorted(found) == list(range(1, 8))
    for cursor in ("x", "!", page_cursor(world, UserSort.EVENTS)):
        with pytest.raises(InvalidParameter):
            users_of_project(world.read, 7, filters, UserSort.ISSUES, cursor=cursor)


def page_cursor(world: World, sort: UserSort) -> str:
    return users_of_project(world.read, 7, Question().filters(world.now), sort, limit=1).next_cursor or ""


@pytest.mark.slow
def test_page_loads_and_sessions_of_a_user_are_those_of_their_hash(world: World) -> None:
    """Also of a user without an event in the period; of one without any event nothing is known."""
    since = (world.now - timedelta(days=10)).replace(minute=0, second=0, microsecond=0)
    rows = loads("shop@1.0", since, 300)
    deliver(world.warehouse, rows)
    world.deliver([an_error_event(user_hash=3, user_id="old", occurred_at=world.now - timedelta(days=60))])
    insert(world.warehouse.client(Role.INGEST), "errata_raw.sessions", sessions(world.now))
    filters = Question().filters(world.now)
    user = user_of_project(world.read, 7, filters, 3)
    own = [row for row in rows if row["user_hash"] == 3 and row["is_load"]]
    assert user is not None
    assert (user.id, user.event_count, user.load_count) == ("old", 0, len(own))
    assert user_of_project(world.read, 7, filters, 4) is None
    assert user_of_project(world.read, 8, filters, 3) is None

    took = {f"{row['view_id']:016x}": row["load_at_ms"] - row["started_at_ms"] for row in own}
    shown = loads_of_user(world.read, 7, filters, 3)
    assert {load.view_id for load in shown} <= took.keys()
    assert [load.occurred_at for load in shown] == sorted((load.occurred_at for load in shown), reverse=True)
    (slowest,) = [load for load in shown if load.is_slowest]
    assert took[slowest.view_id] == max(took.values())
    assert loads_of_user(world.read, 7, Question(environment="staging").filters(world.now), 3) == []

    first, second = sessions_of_user(world.read, 7, filters, 3)
    assert (first.status, first.error_count, first.duration_ms) == ("exited", 1, 900.0)
    assert (second.status, second.error_count, second.duration_ms) == ("crashed", 2, None)


def sessions(now: datetime) -> list[Row]:
    """Two of user 3, told state by state, the first copy of one delivered twice; one of another user."""
    base: Row = {"project_id": 7, "release": "shop@1.0", "environment": "production", "session_count": 1}
    told = (
        (1, 3, 10, "ok", 0, None),
        (1, 3, 9, "exited", 1, 900.0),
        (2, 3, 30, "crashed", 2, None),
        (2, 3, 29, "exited", 2, None),
        (3, 5, 5, "ok", 0, None),
    )
    rows = [
        {
            **base,
            "session_id": f"00000000-0000-0000-0000-{session:012x}",
            "item_id": f"00000000-0000-0000-0001-{number:012x}",
            "user_hash": user,
            "occurred_at": now - timedelta(minutes=minutes),
            "started_at": now - timedelta(hours=session),
            "status": status,
            "error_count": errors,
            **({} if duration is None else {"duration_ms": duration}),
        }
        for number, (session, user, minutes, status, errors, duration) in enumerate(told)
    ]
    return [*rows, rows[0]]
