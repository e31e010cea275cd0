"""What a rule would have fired for, by the same questions that the evaluation job asks."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from errata.alerts import budget_crossings, monitor_turns
from errata.alerts.evaluation import Question, events_of, named, sightings, spaced
from errata.alerts.rule import ISSUE_KINDS, KINDS
from errata.alerts.rule_kind import Chance, Subject
from errata.budgets.evaluation import evaluations, mart_of
from errata.budgets.history import History
from errata.budgets.limit import limit_of
from errata.budgets.state import State
from errata.monitors.reception import Reception
from errata.state.alerts.firings import Found
from errata.warehouse.client import LimitReached, Warehouse
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.alerts.budget import Budget
from errata.warehouse.queries.alerts.days import spans_of_days
from errata.warehouse.queries.alerts.events import Events, Sighting
from errata.warehouse.queries.monitors.monitors import monitors_of_project
from errata.warehouse.queries.performance.metric_over_time import built_through, last_end

DAYS = 90
WEEK = timedelta(days=7)
MOMENT = timedelta(milliseconds=1)
FIRINGS_SHOWN = 200
# Somebody waits for it.
SECONDS = 12.0
NOTHING_LOST = Reception()


@dataclass(frozen=True)
class Backtest:
    """`firings` are the latest; `by_day` counts all, from `since` on: `is_cut`, later than was asked for."""

    since: datetime
    until: datetime
    fired_count: int
    issue_count: int
    by_day: Sequence[tuple[datetime, int]]
    firings: Sequence[Found]
    is_cut: bool = False
    words: str = ""
    """Of a budget or monitors, which are not about issues."""
    chance: Chance | None = None
    in_week: tuple[int, int] | None = None
    """Firings and their issues in the last week; None: not of issues, or not all of it was looked at."""

    @property
    def chance_count(self) -> float | None:
        return self.chance.count if self.chance else None

    @property
    def sentence(self) -> str:
        if self.words:
            return f"In the last {self._length}, {self.words}"
        times = "once" if self.fired_count == 1 else f"{self.fired_count:,} times"
        about = "" if self.issue_count <= 1 else f" for {self.issue_count:,} issues"
        fired = f"would have fired {times}{about}" if self.fired_count else "would not have fired"
        rest = " Checking further back takes too long; add filters to the rule." if self.is_cut else ""
        return f"In the last {self._length}, this rule {fired}.{rest}"

    @property
    def week_sentence(self) -> str:
        if self.in_week is None:
            return ""
        count, issues = self.in_week
        times = {0: "never", 1: "once"}.get(count, f"{count:,} times")
        about = f", for {issues:,} issues" if issues > 1 else ""
        return f"In the last {WEEK.days} days: {times}{about}."

    @property
    def _length(self) -> str:
        length = self.until - self.since
        return f"{length.days} days" if length.days > 1 else f"{round(length / timedelta(hours=1))} hours"


def backtest(
    warehouse: Warehouse, question: Question, days: int = DAYS, reception: Reception = NOTHING_LOST
) -> Backtest:
    """`reception` matters to monitors. Raises LimitReached where not even the latest of it can be had in
    time."""
    now = warehouse_now(warehouse)
    length = timedelta(days=min(days, DAYS))
    match KINDS[question.kind].subject:
        case Subject.ISSUE:
            return backtest_between(warehouse, question, now - length, now)
        case Subject.BUDGET:
            return _budget_backtest(warehouse, question, length, now)
        case Subject.MONITOR:
            return _monitor_backtest(warehouse, question, length, now, reception)


def backtest_between(
    warehouse: Warehouse,
    question: Question,
    since: datetime,
    until: datetime,
    budget: Budget | None = None,
) -> Backtest:
    events = events_of(warehouse, question, until, budget or Budget(SECONDS))
    found, reached = _found(events, question, since, until)
    fired = spaced(sorted(found, key=lambda each: (each.at, each.issue_id)), question.cap)
    latest = list(reversed(fired[-FIRINGS_SHOWN:]))
    return Backtest(
        reached,
        until,
        len(fired),
        len({each.issue_id for each in fired}),
        _by_day(fired, reached, until),
        named(warehouse, question.project_id, latest),
        is_cut=reached > since,
        in_week=_since(fired, until - WEEK) if reached <= until - WEEK else None,
        chance=ISSUE_KINDS[question.kind].chance(events, reached, until, len(fired)),
    )


def _budget_backtest(warehouse: Warehouse, question: Question, length: timedelta, now: datetime) -> Backtest:
    """By the hours that are built; until the last window that can be looked at."""
    limit = limit_of(question.condition)
    until = last_end(built_through(warehouse, mart_of(limit)) or now, limit.step)
    since = until - length
    looked_at = evaluations(warehouse, question.project_id, limit, since, until)
    found = budget_crossings.found_in(limit, looked_at, since)
    history = History([each for each in looked_at if each.at > since], until)
    return Backtest(
        since,
        until,
        len(found),
        0,
        _counted_by_day([each.fired_at for each in found], since, until),
        list(reversed(found[-FIRINGS_SHOWN:])),
        words=_words(found, history),
    )


def _monitor_backtest(
    warehouse: Warehouse, question: Question, length: timedelta, now: datetime, reception: Reception
) -> Backtest:
    """By about the latest 100 runs of each monitor, as they are known today."""
    slug = question.condition["monitor_slug"]
    monitors = monitors_of_project(warehouse, question.project_id, now, reception, [slug] if slug else [])
    since = now - length
    found = monitor_turns.found_in(monitors, question.condition, since, now)
    times = {0: "not have fired", 1: "have fired once"}.get(len(found), f"have fired {len(found):,} times")
    return Backtest(
        since,
        now,
        len(found),
        0,
        _counted_by_day([each.fired_at for each in found], since, now),
        list(reversed(found[-FIRINGS_SHOWN:])),
        words=f"this rule would {times} for the latest runs of each monitor, about 100.",
    )


def _words(found: Sequence[Found], history: History) -> str:
    if history.kept_ratio is None:
        return "no window had enough samples, so the rule would not have fired."
    times = sum(each.outcome == State.BREACHED for each in found)
    breached = {0: "never breached", 1: "breached once"}.get(times, f"breached {times:,} times")
    kept = math.floor(history.kept_ratio * 1000) / 10
    return f"this budget would have been {breached} and kept in {kept:g}% of the windows with enough samples."


def _found(
    events: Events, question: Question, since: datetime, until: datetime
) -> tuple[list[Sighting], datetime]:
    """What was found, from which moment on."""
    found, reached = list[Sighting](), until
    try:
        for begin, end in ISSUE_KINDS[question.kind].spans(events, since, until):
            found += sightings(events, question, begin, end)
            reached = begin
    except LimitReached:
        if reached == until:
            raise
    return found, reached


def _since(fired: Iterable[Sighting], since: datetime) -> tuple[int, int]:
    issues = [each.issue_id for each in fired if each.at >= since]
    return len(issues), len(set(issues))


def _by_day(fired: Iterable[Sighting], since: datetime, until: datetime) -> list[tuple[datetime, int]]:
    return _counted_by_day([each.at for each in fired], since, until)


def _counted_by_day(
    moments: Iterable[datetime], since: datetime, until: datetime
) -> list[tuple[datetime, int]]:
    counts = {begin.date(): 0 for begin, _end in spans_of_days(since, until, 1)}
    for at in moments:
        # What is looked at as a day ends lies a moment after it.
        counts[min(at, until - MOMENT).astimezone(UTC).date()] += 1
    return [(datetime.combine(day, time(), UTC), count) for day, count in sorted(counts.items())]
