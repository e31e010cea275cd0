"""The states of a monitor and of its runs, with those that should have been and were not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice

from errata.monitors.config import MonitorConfig
from errata.monitors.reception import Span
from errata.monitors.run import FAILED, UNTOLD, Run, RunState
from errata.monitors.runs import SentRun, Told
from errata.monitors.turns import Thresholds, Turn, is_settled, turns_of

# Runs that are missing one after the other, from the first on: of more, the rest say the same.
MOST_MISSING = 100
# Longer than most breaks of a job that is still in use.
INACTIVE_AFTER = timedelta(days=30)
FEWEST_MISSING = 2
# Higher thresholds count as this: a history has few more runs.
MOST_IN_A_ROW = 50
# Hosts of as many runs may run the job next.
RECENT_RUNS = 10


class MonitorState(StrEnum):
    """`waiting`: no run has finished yet; `unknown`: the latest expected runs are unknown; `inactive`:
    nothing was received for a month."""

    FAILING = "failing"
    UNKNOWN = "unknown"
    WAITING = "waiting"
    OK = "ok"
    INACTIVE = "inactive"


@dataclass(frozen=True, slots=True)
class History:
    """The earliest run first. `failing_since`: the first failed run of those for which the monitor fails.
    `next_expected_at`: None without a schedule. `is_whole`: no run was before these."""

    runs: Sequence[Run]
    state: MonitorState
    failing_since: datetime | None
    next_expected_at: datetime | None
    thresholds: Thresholds
    is_whole: bool

    @property
    def is_settled(self) -> bool:
        """Whether its state, and since when it is failing, are the same with earlier runs."""
        return self.is_whole or is_settled(self.runs, self.thresholds)

    def turns(self, *, is_missed_enough: bool = False) -> list[Turn]:
        thresholds = replace(self.thresholds, is_missed_enough=is_missed_enough)
        return list(turns_of(self.runs, thresholds, is_whole=self.is_whole))


KnownThrough = Callable[[Sequence[str]], datetime]
"""Until when everything is known that these hosts have sent, the last of them the one that ran the job
last."""


def history_of(
    told: Sequence[Told],
    known_through: KnownThrough,
    now: datetime,
    absences: Sequence[Span] = (),
    *,
    is_whole: bool = True,
    lead: int = 0,
) -> History:
    """Of the runs of one monitor in one environment, the earliest first. `absences`: when the service was
    away; what is sent to it without a shipper is lost then. `is_whole`: no run was before these. Of the
    first `lead` ones only the hosts count."""
    runs: list[Run] = []
    next_at = None
    for number, one in islice(enumerate(told), lead, None):
        hosts = [each.host for each in told[max(0, number + 1 - RECENT_RUNS) : number + 1]]
        through = min(known_through(hosts), now)
        following = told[number + 1] if number + 1 < len(told) else None
        lost = () if one.host else absences
        if isinstance(one, SentRun):
            runs.append(_run(one, min(known_through([one.host]), now), lost))
        if one.config is not None:
            until = following.begun_at if following else now
            runs += _missing(one.config, one.begun_at, until, through, lost)
            if following is None:
                next_at = _next_at(one.config, one.begun_at, now)
    return _judged(runs, told, next_at, now, is_whole)


def _run(run: SentRun, through: datetime, lost: Sequence[Span]) -> Run:
    begun_at, end = run.begun_at, run.end
    latest = begun_at + run.config.runtime if run.config else None
    if end is None:
        is_over = latest is not None and latest <= through
        state = RunState.TIMEOUT if is_over else RunState.IN_PROGRESS
        if latest is not None and is_over and _overlaps(lost, begun_at, latest):
            state = RunState.SERVICE_AWAY
        return Run(begun_at, state, latest or begun_at, host=run.host, release=run.release)
    is_late = latest is not None and end.occurred_at > latest
    state = RunState.ERROR if end.status == "error" else RunState.TIMEOUT if is_late else RunState.OK
    duration_ms = end.duration_ms
    if duration_ms is None and len(run.statuses) > 1:
        duration_ms = (end.occurred_at - begun_at) / timedelta(milliseconds=1)
    noted_at = latest if latest is not None and is_late else end.occurred_at
    return Run(begun_at, state, noted_at, end.occurred_at, duration_ms, run.host, run.release)


def _missing(
    config: MonitorConfig, begun_at: datetime, until: datetime, through: datetime, lost: Sequence[Span]
) -> Iterator[Run]:
    """Runs expected after one, or after a change of the schedule, which had not begun in time before the
    next, or until now."""
    expected = config.schedule.after(begun_at)
    for _ in range(MOST_MISSING):
        if expected is None or expected + config.margin >= until:
            return
        latest = expected + config.margin
        state = RunState.MISSED if latest <= through else RunState.UNKNOWN
        yield Run(expected, RunState.SERVICE_AWAY if _overlaps(lost, expected, latest) else state, latest)
        expected = config.schedule.after(expected)


def _overlaps(spans: Sequence[Span], since: datetime, until: datetime) -> bool:
    return any(begin <= until and since <= end for begin, end in spans)


def _next_at(config: MonitorConfig, begun_at: datetime, now: datetime) -> datetime | None:
    """The first expected time that a run can still be in time for."""
    first = config.schedule.after(begun_at)
    return config.schedule.since(first, now - config.margin) if first is not None else None


def _judged(
    runs: Sequence[Run], told: Sequence[Told], next_at: datetime | None, now: datetime, is_whole: bool
) -> History:
    thresholds = _thresholds(told[-1].config if told else None)
    if _is_inactive(runs, told, now):
        return History(runs, MonitorState.INACTIVE, None, None, thresholds, is_whole)
    turns = list(turns_of(runs, thresholds, is_whole=is_whole))
    since = turns[-1].since if turns and turns[-1].is_failing else None
    return History(runs, _state(runs, since is not None), since, next_at, thresholds, is_whole)


def _thresholds(config: MonitorConfig | None) -> Thresholds:
    if config is None:
        return Thresholds()
    return Thresholds(
        min(config.failure_threshold, MOST_IN_A_ROW), min(config.recovery_threshold, MOST_IN_A_ROW)
    )


def _is_inactive(runs: Sequence[Run], told: Sequence[Told], now: datetime) -> bool:
    """Never while it is declared: whoever no longer wants the job removes the declaration."""
    last = next((one for one in reversed(told) if isinstance(one, SentRun)), None)
    if last is None or told[-1].is_declared:
        return False
    heard_at = max(one.occurred_at for one in last.statuses)
    missing = sum(run.at > heard_at for run in runs)
    return now - heard_at > INACTIVE_AFTER and (told[-1].config is None or missing >= FEWEST_MISSING)


def _state(runs: Sequence[Run], is_failing: bool) -> MonitorState:
    if is_failing:
        return MonitorState.FAILING
    if runs and runs[-1].state in UNTOLD:
        return MonitorState.UNKNOWN
    has_ended = any(run.state is RunState.OK or run.state in FAILED for run in runs)
    return MonitorState.OK if has_ended else MonitorState.WAITING
