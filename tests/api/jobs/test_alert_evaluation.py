"""Rules over real rows in a real warehouse, against the same rules told in Python."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest

from api.context import Context
from api.jobs.alert_evaluation import evaluate, evaluate_rule, question_of
from api.jobs.failures import ItemsFailed
from api.jobs.fair_schedule import FairSchedule
from errata.alerts import backtest, threshold_kind
from errata.alerts.evaluation import Question, events_of, sightings
from errata.alerts.kinds import escalating
from errata.errors import InvalidParameter
from errata.state.alerts.rule import Rule
from errata.state.alerts.rules import NewRule
from errata.warehouse.client import NoAnswerInTime, Warehouse
from errata.warehouse.queries.alerts import crossings
from errata.warehouse.queries.alerts.budget import Budget
from errata.warehouse.queries.alerts.clock import moment_of, tick_of
from errata.warehouse.queries.alerts.days import spans_of_days, spans_of_events
from errata.warehouse.queries.alerts.events import Sighting, check_query
from errata.warehouse.queries.alerts.priorities import levels
from errata.warehouse.queries.changes import Changes
from errata.warehouse.roles import Role
from errata.workflow.escalation import LEAST_HISTORY_HOURS
from errata.workflow.priority import Facts, Level, priority
from tests.api.jobs.conftest import EndlessRun, Hooked
from tests.builders import a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.cases import each
from tests.processes import WarehouseProcess

# Within what raw rows are kept, at the start of a tick, and always as far into its hour.
BEGIN = (datetime.now(UTC) - timedelta(days=3)).replace(minute=10, second=0, microsecond=0)
Event = dict[str, Any]


@dataclass
class Watched:
    hooked: Hooked
    warehouse: Warehouse
    read: Warehouse
    context: Context
    project_id: int

    def store(self, events: Sequence[Event]) -> None:
        """Variant 10·n+… belongs to issue n; each was first seen when its first event occurred."""
        firsts: dict[int, datetime] = {}
        for event in events:
            variant = event["variant_hash"]
            firsts[variant] = min(firsts.get(variant, event["occurred_at"]), event["occurred_at"])
        insert(
            self.warehouse,
            "errata_raw.variants",
            [
                a_variant(
                    project_id=self.project_id,
                    variant_hash=variant,
                    first_seen_at=first,
                    title=f"ValueError: {variant // 10}",
                )
                for variant, first in firsts.items()
            ],
        )
        insert(
            self.warehouse,
            "errata_raw.variant_issues",
            [
                a_mapping(project_id=self.project_id, variant_hash=variant, issue_id=variant // 10)
                for variant in firsts
            ],
        )
        insert(self.warehouse, "errata_raw.error_events", events)

    def act(self, issue_id: int, action: str, at: datetime, **values: Any) -> None:
        row = an_issue_action(
            project_id=self.project_id, issue_id=issue_id, action=action, acted_at=at, **values
        )
        insert(self.warehouse, "errata_raw.issue_actions", [row])

    def event(self, issue: int, at: datetime, **values: Any) -> Event:
        """Received a moment after it occurred."""
        occurred_at = at - timedelta(milliseconds=200)
        given = {"variant_hash": issue * 10, "occurred_at": occurred_at, "received_at": at, **values}
        return an_error_event(project_id=self.project_id, **given)

    def asked(self, kind: str, query: str = "", cap_minutes: int = 5, **condition: Any) -> Question:
        return Question(self.project_id, kind, condition, query, cap_minutes)

    def found(self, question: Question, since: datetime, until: datetime) -> list[tuple[int, datetime]]:
        events = events_of(self.read, question, until)
        return [(each.issue_id, each.at) for each in sightings(events, question, since, until)]

    def rule(
        self,
        kind: str,
        cap_minutes: int = 5,
        query: str = "",
        priorities: Sequence[str] = (),
        **condition: Any,
    ) -> Rule:
        self.hooked.clock.now = BEGIN
        new = NewRule(kind, kind, condition, query, cap_minutes, priorities=priorities)
        return self.hooked.store.alerts.rules.create(
            self.hooked.organization_id, self.hooked.slug, new, actor="ada@example.org"
        )

    def again(self, rule: Rule) -> Rule:
        return self.hooked.store.alerts.rules.get(self.hooked.organization_id, self.hooked.slug, rule.id)


@pytest.fixture
def watched(hooked: Hooked, warehouse: WarehouseProcess) -> Iterator[Watched]:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    context = replace(hooked.context, warehouse=ingest, read=read)
    project = hooked.store.projects.get(hooked.organization_id, hooked.slug)
    yield Watched(hooked, ingest, read, context, project.id)
    ingest.close()
    read.close()


def traffic(watched: Watched, seed: int, hours: float = 1.5) -> list[Event]:
    """Bursts and quiet times of six issues, two days of history, repeats, and events that come late."""
    chance = random.Random(seed)
    events: list[Event] = []
    for issue in range(1, 7):
        if issue != 5:
            for hour in range(48):
                for _ in range(chance.randrange(3)):
                    at = BEGIN - timedelta(hours=hour, seconds=chance.randrange(3600))
                    events.append(watched.event(issue, at, user_hash=chance.randrange(1, 5)))
        at = BEGIN
        while at < BEGIN + timedelta(hours=hours):
            at += timedelta(seconds=chance.choice([0.4, 1, 2, 20, 40, 300]) * chance.random() + 0.001)
            user = chance.randrange(12)
            environment = chance.choice(["production", "staging"])
            variant = issue * 10 + chance.randrange(2)
            late = timedelta(minutes=chance.choice([0, 0, 0, 90]))
            events.append(
                watched.event(
                    issue,
                    at,
                    variant_hash=variant,
                    occurred_at=at - late - timedelta(milliseconds=200),
                    user_hash=user,
                    environment=environment,
                )
            )
    again = [
        {**event, "received_at": event["received_at"] + timedelta(minutes=chance.randrange(1, 60))}
        for event in chance.sample(events, len(events) // 10)
    ]
    shuffled = events + again
    chance.shuffle(shuffled)
    return shuffled


def firsts(events: Sequence[Event]) -> list[Event]:
    """Of copies the one received first."""
    by_id: dict[UUID, Event] = {}
    for event in sorted(events, key=lambda event: event["received_at"]):
        by_id.setdefault(event["item_id"], event)
    return list(by_id.values())


def told_in_python(
    events: Sequence[Event], over: int, minutes: int, weigh: Callable[[Sequence[Event]], int], by_issue: bool
) -> list[tuple[int, datetime]]:
    """Each tick of each issue: how much lies in its window, and in that of the tick before."""
    ticks = minutes * 2
    placed: dict[int, dict[int, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for event in events:
        issue = event["variant_hash"] // 10 if by_issue else 0
        placed[issue][tick_of(event["received_at"])].append(event)
    found = []
    for issue, by_tick in placed.items():
        for tick in by_tick:

            def within(last: int, by_tick: dict[int, list[Event]] = by_tick) -> int:
                window = range(last - ticks + 1, last + 1)
                return weigh([event for number in window for event in by_tick.get(number, ())])

            if tick >= tick_of(BEGIN) and within(tick) > over >= within(tick - 1):
                found.append((issue, moment_of(tick)))
    return sorted(found, key=lambda each: (each[1], each[0]))


def users(events: Sequence[Event]) -> int:
    return len({event["user_hash"] for event in events} - {0})


@pytest.mark.parametrize("scope", ["issue", "all"])
@pytest.mark.parametrize(("kind", "over"), [("events", 25), ("users", 8)])
def test_crossings_are_those_that_counting_tick_by_tick_finds(
    watched: Watched, kind: str, over: int, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where there are many: only issues that may have passed the number are looked at.
    monkeypatch.setattr(crossings, "FEW_EVENTS", 0)
    events = traffic(watched, 1)
    watched.store(events)
    for query, minutes, wanted in (
        ("", 5, lambda event: True),
        ("environment:staging", 15, lambda event: event["environment"] == "staging"),
    ):
        question = watched.asked(kind, query, over=over, window_minutes=minutes, scope=scope)
        expected = told_in_python(
            [event for event in firsts(events) if wanted(event)],
            over,
            minutes,
            users if kind == "users" else len,
            scope == "issue",
        )
        assert expected or scope == "all" or kind == "users"
        assert watched.found(question, BEGIN, BEGIN + timedelta(hours=2)) == expected


def test_a_new_issue_is_one_whose_first_matching_event_came_in(watched: Watched) -> None:
    at = BEGIN + timedelta(minutes=10)
    old = BEGIN - timedelta(days=1)
    once = watched.event(4, at)
    watched.store(
        [
            watched.event(1, at),
            watched.event(1, at + timedelta(minutes=1), variant_hash=11),
            watched.event(2, old),
            watched.event(2, at),
            watched.event(3, old, environment="staging"),
            watched.event(3, at),
            once,
            {**once, "received_at": at + timedelta(minutes=30)},
            watched.event(5, at, variant_hash=50, occurred_at=BEGIN - timedelta(days=100)),
        ]
    )
    until = at + timedelta(hours=1)
    assert watched.found(watched.asked("new"), BEGIN, until) == [(1, at), (4, at)]
    production = watched.asked("new", "environment:production")
    assert watched.found(production, BEGIN, until) == [(1, at), (3, at), (4, at)]
    assert watched.found(watched.asked("new"), at + timedelta(minutes=5), until) == []


def test_a_resolved_issue_that_comes_back_is_told_once_for_each_resolution(watched: Watched) -> None:
    minute = timedelta(minutes=1)
    watched.store(
        [watched.event(1, BEGIN + number * minute, environment="staging") for number in range(-60, 100, 10)]
    )
    first, second = uuid4(), uuid4()
    watched.act(1, "resolve", BEGIN + 5 * minute, action_id=first)
    watched.act(1, "regress", BEGIN + 11 * minute, about_action_id=first)
    watched.act(1, "resolve", BEGIN + 35 * minute, action_id=second)
    watched.act(1, "regress", BEGIN + 41 * minute, about_action_id=second)
    question = watched.asked("regressed")
    until = BEGIN + 120 * minute
    assert watched.found(question, BEGIN, until) == [(1, BEGIN + 11 * minute), (1, BEGIN + 41 * minute)]
    assert watched.found(question, BEGIN + 15 * minute, BEGIN + 34 * minute) == []
    assert watched.found(watched.asked("regressed", "environment:production"), BEGIN, until) == []


@pytest.mark.slow
def test_an_ignored_issue_never_fires_while_it_is(watched: Watched) -> None:
    minute = timedelta(minutes=1)
    bursts = [0, 30, 60, 90]
    watched.store(
        [
            watched.event(1, BEGIN + start * minute + number * timedelta(seconds=1))
            for start in bursts
            for number in range(20)
        ]
    )
    until = (BEGIN + 70 * minute).isoformat()
    watched.act(1, "ignore", BEGIN + 20 * minute, detail=f'{{"until": "{until}"}}')
    question = watched.asked("events", over=10, window_minutes=5, scope="issue")
    found = [at for _issue, at in watched.found(question, BEGIN, BEGIN + timedelta(hours=3))]
    assert found == [BEGIN, BEGIN + 90 * minute]


@pytest.mark.slow
def test_an_hour_beyond_an_issues_own_history_escalates_it(watched: Watched) -> None:
    steady = [
        watched.event(
            issue, BEGIN.replace(minute=0, second=0) - timedelta(hours=hour, minutes=-20 - number / 2)
        )
        for issue, an_hour in ((1, 5), (2, 30))
        for hour in range(1, LEAST_HISTORY_HOURS + 2)
        for number in range(an_hour)
    ]
    hour = BEGIN.replace(minute=0, second=0) + timedelta(hours=1)
    burst = [
        watched.event(issue, hour + timedelta(seconds=30 * number))
        for issue in (1, 2)
        for number in range(50)
    ]
    watched.store(steady + burst)
    found = watched.found(watched.asked("escalating"), BEGIN, hour + timedelta(hours=1))
    assert [issue for issue, _at in found] == [1]
    assert hour < found[0][1] < hour + timedelta(minutes=25)
    told = backtest.backtest_between(
        watched.read, watched.asked("escalating"), BEGIN, hour + timedelta(hours=1)
    )
    assert told.fired_count == 1
    assert told.chance is not None
    assert told.chance.sentence == (
        "Chance alone explains none of these: 2 issues had more than 10 events in an hour, "
        "and an unchanged issue fires about once in 416 days."
    )


RULES: dict[str, dict[str, Any]] = {
    "new": {},
    "regressed": {},
    "escalating": {},
    "events": {"over": 12, "window_minutes": 5, "scope": "issue"},
    "users": {"over": 8, "window_minutes": 15, "scope": "all"},
}


@pytest.mark.slow
def test_a_backtest_fires_when_the_watch_did_with_restarts_and_late_events(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.store(traffic(watched, seed=2, hours=0.5))
    for number, issue in enumerate((1, 2, 3)):
        resolved = uuid4()
        at = BEGIN + timedelta(minutes=5 + number * 8, seconds=7)
        watched.act(issue, "resolve", at, action_id=resolved)
        watched.act(issue, "regress", at + timedelta(minutes=4), about_action_id=resolved)
    watched.act(4, "ignore", BEGIN + timedelta(minutes=20), detail="")
    chance = random.Random(2)
    rules = [watched.rule(kind, 10, **condition) for kind, condition in RULES.items()]
    rules.append(watched.rule("new", 10, priorities=["medium"]))
    until, end = BEGIN, BEGIN + timedelta(minutes=35)
    while until < end:
        until = min(end, until + timedelta(seconds=chance.choice([60, 400.7, 900])))
        for rule in rules:
            evaluate_rule(watched.context, watched.again(rule), until)
            if chance.random() < 0.2:
                # A node that was killed after it had fired looks at the same again.
                evaluate_rule(watched.context, rule, until)
    fired = {rule.id: watched.again(rule).fired_count for rule in rules}
    # The job looks at everything at once, the backtest at a day after the other.
    for kind in (threshold_kind, escalating):
        monkeypatch.setattr(kind, "EVENTS_AT_ONCE", 200)
    monkeypatch.setattr(crossings, "FEW_EVENTS", 0)
    assert all(fired[rule.id] for rule in rules if rule.kind in ("new", "regressed", "events"))
    for rule in rules:
        told = backtest.backtest_between(watched.read, question_of(rule), BEGIN, end)
        assert told.fired_count == fired[rule.id], rule.kind
        assert sum(count for _day, count in told.by_day) == told.fired_count
        for found in told.firings:
            known = watched.hooked.store.alerts.firings.known_episodes(
                rule.id, [(found.issue_id, found.episode)]
            )
            assert known, (rule.kind, found)


def facts_then(watched: Watched, events: Sequence[Event], issue: int, at: datetime) -> Facts:
    own = [event for event in events if event["variant_hash"] // 10 == issue and event["received_at"] <= at]
    ages = [at - event["received_at"] for event in own]
    recent = [event for event in own if at - event["received_at"] < timedelta(days=14)]
    return Facts(
        "error",
        min(event["occurred_at"] for event in events if event["variant_hash"] // 10 == issue),
        sum(age < timedelta(days=1) for age in ages),
        sum(timedelta(days=1) <= age < timedelta(days=8) for age in ages),
        users(recent),
        sum(not event["is_handled"] for event in recent),
        len(recent),
    )


@pytest.mark.slow
def test_a_priority_is_the_one_that_an_issue_had_at_that_moment(watched: Watched) -> None:
    chance = random.Random(4)
    traffic = [
        watched.event(
            issue,
            BEGIN - timedelta(days=20 * chance.random() ** 3, milliseconds=chance.randrange(1000)),
            user_hash=chance.randrange(4 * issue),
            is_handled=chance.random() < issue / 6,
        )
        for issue in range(1, 6)
        for _ in range(30)
    ]
    again = [{**event, "received_at": BEGIN} for event in traffic[::4]]
    watched.store(traffic + again)
    set_at = BEGIN - timedelta(days=2)
    watched.act(5, "prioritize", set_at, detail='{"priority": "high"}')
    watched.act(5, "prioritize", set_at + timedelta(days=1), detail='{"priority": ""}')
    moments = [event["received_at"] for event in traffic[::7]] + [BEGIN, set_at, set_at - timedelta(days=13)]
    asked = [Sighting(issue, at, 1, "") for issue in range(1, 6) for at in moments]
    expected = [
        Level.HIGH
        if each.issue_id == 5 and set_at <= each.at < set_at + timedelta(days=1)
        else priority(facts_then(watched, firsts(traffic), each.issue_id, each.at), "", each.at).level
        for each in asked
    ]
    assert set(expected) == set(Level)
    assert levels(events_of(watched.read, watched.asked("new"), BEGIN), asked) == expected


class Running:
    """A clock that goes on a second at every look."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 1
        return self.seconds


@pytest.mark.slow
def test_of_what_cannot_be_had_in_time_the_latest_part_is_told(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threshold_kind, "EVENTS_AT_ONCE", 10)
    days = [BEGIN + number * timedelta(days=1) for number in range(3)]
    watched.store(
        [watched.event(1, day + number * timedelta(seconds=1)) for day in days for number in range(9)]
    )
    question = watched.asked("events", over=5, window_minutes=5, scope="issue")
    since, until = BEGIN - timedelta(hours=1), days[-1] + timedelta(hours=1)
    whole = backtest.backtest_between(watched.read, question, since, until, Budget(60, Running()))
    assert (whole.fired_count, whole.since, whole.is_cut) == (3, since, False)
    part = backtest.backtest_between(watched.read, question, since, until, Budget(6, Running()))
    assert part.is_cut and since < part.since and 0 < part.fired_count < 3
    assert part.sentence.endswith("Checking further back takes too long; add filters to the rule.")
    assert sum(count for _day, count in part.by_day) == part.fired_count
    with pytest.raises(NoAnswerInTime, match="busy"):
        backtest.backtest_between(watched.read, question, since, until, Budget(1, Running()))


def test_spans_leave_nothing_out_and_hold_no_more_than_wanted(watched: Watched) -> None:
    chance = random.Random(3)
    since, until = BEGIN - timedelta(days=9, hours=3), BEGIN + timedelta(hours=5)
    moments = [since + chance.random() * (until - since) for _ in range(300)]
    watched.store([watched.event(1, moment) for moment in moments])
    events = events_of(watched.read, watched.asked("new"), until)
    for spans in (
        list(spans_of_events(events, since, until, 80)),
        list(spans_of_events(events, since, until, 20)),
        list(spans_of_days(since, until, 4)),
    ):
        assert (spans[0][1], spans[-1][0]) == (until, since)
        assert all(begin < end for begin, end in spans)
        assert all(later[0] == earlier[1] for later, earlier in pairwise(spans))
    counts = [
        sum(begin <= moment < end for moment in moments)
        for begin, end in spans_of_events(events, since, until, 80)
    ]
    assert max(counts) <= 80 and sum(counts) == 300 and len(counts) < 8


def test_what_fires_is_named_and_told(watched: Watched) -> None:
    channel = watched.hooked.channel()
    rule = watched.hooked.rule(channel)
    watched.hooked.clock.now = datetime.now(UTC)
    now = datetime.now(UTC)
    watched.store([watched.event(77, now)])
    evaluate(watched.context, EndlessRun(), Changes(watched.read), FairSchedule())
    [notice] = watched.hooked.store.alerts.notices.of_channel(channel.id)
    assert (notice.title, notice.issue_id) == ("ValueError: 77", f"{77:016x}")
    assert watched.again(rule).fired_count == 1
    evaluate(watched.context, EndlessRun(), Changes(watched.read), FairSchedule())
    assert watched.again(rule).fired_count == 1


@pytest.mark.slow
def test_while_nothing_comes_in_rules_are_not_looked_at_but_are_up_to_date(watched: Watched) -> None:
    rule, changes = watched.rule("new"), Changes(watched.read)
    watched.store([watched.event(1, datetime.now(UTC) - timedelta(minutes=5))])
    evaluate(watched.context, EndlessRun(), changes, FairSchedule())
    assert watched.again(rule).fired_count == 1
    before = watched.again(rule).evaluated_until
    evaluate(watched.context, EndlessRun(), changes, FairSchedule())
    assert watched.again(rule).evaluated_until > before
    watched.store([watched.event(2, datetime.now(UTC))])
    evaluate(watched.context, EndlessRun(), changes, FairSchedule())
    assert watched.again(rule).fired_count == 2


def test_a_rule_that_fails_says_so_and_holds_up_no_other(watched: Watched) -> None:
    broken = watched.rule("new", query="release:")
    works = watched.rule("new")
    watched.store([watched.event(1, datetime.now(UTC))])
    evaluate(watched.context, EndlessRun(), Changes(watched.read), FairSchedule())
    assert watched.again(broken).failure
    assert watched.again(works).fired_count == 1


def test_a_rule_that_fails_unforeseen_is_noted_and_reported_and_the_next_one_fires(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, works = watched.rule("new"), watched.rule("new")
    watched.store([watched.event(1, datetime.now(UTC))])

    def failing(context: Context, rule: Rule, until: datetime) -> int:
        if rule.id == broken.id:
            raise RecursionError("too deep")
        return evaluate_rule(context, rule, until)

    monkeypatch.setattr("api.jobs.alert_evaluation.evaluate_rule", failing)
    changes, schedule = Changes(watched.read), FairSchedule()
    with pytest.raises(ItemsFailed):
        evaluate(watched.context, EndlessRun(), changes, schedule)
    assert "too deep" in watched.again(broken).failure
    assert watched.again(works).fired_count == 1
    monkeypatch.undo()
    # Nothing has come in since, and what failed is looked at all the same.
    evaluate(watched.context, EndlessRun(), changes, schedule)
    assert watched.again(broken).fired_count == 1 and not watched.again(broken).failure


def test_rules_that_are_put_off_are_looked_at_in_the_next_round(watched: Watched) -> None:
    rules = [watched.rule("new") for _ in range(3)]
    watched.store([watched.event(1, datetime.now(UTC))])
    changes, schedule = Changes(watched.read), FairSchedule(seconds=0.0001)
    for expected in (1, 2, 3):
        evaluate(watched.context, EndlessRun(), changes, schedule)
        assert sum(watched.again(rule).fired_count for rule in rules) == expected


@each(
    "query", ["is:unresolved", "assigned:me", "events:>5", "first_seen:-1h", "age:-1h", "first_release:2.0"]
)
def test_a_filter_asks_no_state_or_history_of_issues(query: str) -> None:
    with pytest.raises(InvalidParameter, match="alerts filter individual events"):
        check_query(f"environment:production {query}")


@pytest.mark.slow
@pytest.mark.parametrize("few_events", [0, crossings.FEW_EVENTS])
def test_a_filter_names_issues_and_types_as_the_search_of_issues_does(
    watched: Watched, few_events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crossings, "FEW_EVENTS", few_events)
    hour = BEGIN.replace(minute=0, second=0) + timedelta(hours=1)
    before = [hour - timedelta(hours=number, minutes=-20) for number in range(1, LEAST_HISTORY_HOURS + 2)]
    burst = [hour + timedelta(seconds=10 * number) for number in range(50)]
    watched.store(
        [
            *(watched.event(issue, at, type=f"Type{issue}") for issue in (1, 2) for at in before + burst),
            *(watched.event(issue, hour, type=f"Type{issue}", user_hash=issue) for issue in (3, 4)),
            watched.event(3, hour, variant_hash=31, user_hash=5),
        ]
    )
    for issue in (1, 2):
        resolved = uuid4()
        watched.act(issue, "resolve", BEGIN, action_id=resolved)
        watched.act(issue, "regress", hour + timedelta(minutes=5), about_action_id=resolved)
    first, third = f"{1:016x}", f"{3:016x}"
    for of_first, of_third in (
        (f"issue:{first}", f"issue:{third}"),
        ("type:type1", "type:[Type3, ValueError]"),
        ('title:"valueerror: 1"', "title:*3 culprit:*cart*"),
        ("ValueError: 1 add", '"error: 3"'),
        (f"!issue:{2:016x} !title:[*3, *4]", f"!issue:[{first}, {2:016x}] !title:*4 environment:production"),
    ):
        for kind, query, only, condition in (
            ("new", of_third, 3, {}),
            ("regressed", of_first, 1, {}),
            ("escalating", of_first, 1, {}),
            ("events", of_first, 1, RULES["events"]),
            ("users", of_third, 3, {"over": 1, "window_minutes": 15, "scope": "issue"}),
        ):
            question = watched.asked(kind, query, **condition)
            found = watched.found(question, hour - timedelta(hours=1), hour + timedelta(hours=1))
            assert {issue for issue, _at in found} == {only}, (kind, query)
    rule = watched.rule("events", query=f"issue:{first} Value*", **RULES["events"])
    assert evaluate_rule(watched.context, rule, hour + timedelta(minutes=59)) == 1
