"""The moments at which a monitor begins to fail and recovers, and those that nobody was told of yet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from errata.monitors.run import FAILED, Run, RunState

MOMENT = timedelta(milliseconds=1)


class Outcome(StrEnum):
    FAILING = "failing"
    MISSED = "missed"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Failed runs in a row that make a monitor fail, and good ones after which it has recovered.
    `is_missed_enough`: a single run that was missed makes it fail, too."""

    failure: int = 1
    recovery: int = 1
    is_missed_enough: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """`run` made the monitor fail, as the last of `failed_count` in a row that began at `since`, or recover:
    the count is 0. `is_new`: False if it may have failed before the known runs, too."""

    at: datetime
    run: Run
    since: datetime
    failed_count: int
    is_new: bool = True

    @property
    def is_failing(self) -> bool:
        return self.failed_count > 0

    @property
    def outcome(self) -> Outcome:
        if not self.is_failing:
            return Outcome.RECOVERED
        is_missed = self.failed_count == 1 and self.run.state is RunState.MISSED
        return Outcome.MISSED if is_missed else Outcome.FAILING


@dataclass(frozen=True, slots=True)
class LastTold:
    """The latest turn of a monitor that was told."""

    at: datetime
    outcome: str


def turns_of(runs: Sequence[Run], thresholds: Thresholds, *, is_whole: bool = True) -> Iterator[Turn]:
    """In the order of the runs, each later than the one before; first the monitor fails. `is_whole`: no run
    was before these."""
    bad = good = 0
    since = first_at = last_at = None
    is_failing, is_known = False, is_whole
    for run in runs:
        if run.state is RunState.OK:
            good, bad = good + 1, 0
            if good < thresholds.recovery:
                continue
            is_known = True
            if is_failing and since is not None:
                is_failing, last_at = False, _after(last_at, run)
                yield Turn(last_at, run, since, 0)
        elif run.state in FAILED:
            good, bad = 0, bad + 1
            first_at = run.at if bad == 1 or first_at is None else first_at
            is_missed = thresholds.is_missed_enough and run.state is RunState.MISSED
            if not is_failing and (bad >= thresholds.failure or is_missed):
                is_failing, since, last_at = True, first_at, _after(last_at, run)
                yield Turn(last_at, run, since, bad, is_known)


def untold(
    turns: Sequence[Turn],
    runs: Sequence[Run],
    last: LastTold | None,
    since: datetime,
    caught_up_since: datetime,
    now: datetime,
) -> list[Turn]:
    """Turns after the last that was told, or after `since`; failing and recovered follow each other. A
    monitor that failed and recovered before `caught_up_since` is left out.

    Check-ins that come late change the past: if the last turn no longer agrees with what was told, this is
    told as of now.
    """
    after = last.at if last else since
    before = [turn for turn in turns if turn.at <= since]
    is_failing = last.outcome != Outcome.RECOVERED if last else _is_failing(before)
    found = list[Turn]()
    for turn in turns:
        if turn.at > after and turn.is_failing != is_failing:
            is_failing = turn.is_failing
            if turn.is_new or last:
                found.append(turn)
    if runs and is_failing != _is_failing(turns):
        found.append(replace(turns[-1], at=now) if turns else Turn(now, runs[-1], runs[-1].at, 0))
    while len(found) >= 2 and found[1].at < caught_up_since:
        found = found[2:]
    return found


def is_settled(runs: Sequence[Run], thresholds: Thresholds) -> bool:
    """Whether runs before these would change nothing of how they end: the monitor was well among them."""
    good = 0
    for run in runs:
        good = 0 if run.state in FAILED else good + (run.state is RunState.OK)
        if good >= thresholds.recovery:
            return True
    return False


def _is_failing(turns: Sequence[Turn]) -> bool:
    return turns[-1].is_failing if turns else False


def _after(last_at: datetime | None, run: Run) -> datetime:
    """When the turn of a run could be told: a run may end long after later ones."""
    return max(run.noted_at, last_at + MOMENT) if last_at else run.noted_at
