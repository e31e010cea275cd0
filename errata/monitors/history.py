"""The states of a monitor and of its runs, with those that should have been and were not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from errata.monitors.config import MonitorConfig
from errata.monitors.runs import SentRun

# Runs that are missing one after the other, from the first on: of more, the rest say the same.
MOST_MISSING = 100
# Longer than most breaks of a job that is still in use.
INACTIVE_AFTER = timedelta(days=30)
FEWEST_MISSING = 2
# Higher thresholds count as this: a history has few more runs.
MOST_IN_A_ROW = 50
# Hosts of as many runs may run the job next.
RECENT_RUNS = 10


class RunState(StrEnum):
    """`unknown`: what was expected may have happened on a host that has delivered nothing since;
    `service_away`: the service could not be told of it then."""

    IN_PROGRESS = "in_progress"
    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    MISSED = "missed"
    UNKNOWN = "unknown"
    SERVICE_AWAY = "service_away"


UNTOLD = frozenset({RunState.UNKNOWN, RunState.SERVICE_AWAY})
FAILED = frozenset({RunState.ERROR, RunState.TIMEOUT, RunState.MISSED})


class MonitorState(StrEnum):
    """`waiting`: no run has ended yet; `unknown`: the latest expected ones are; `inactive`: nothing was
    received for a month."""

    FAILING = "failing"
    UNKNOWN = "unknown"
    WAITING = "waiting"
    OK = "ok"
    INACTIVE = "inactive"


@dataclass(frozen=True, slots=True)
class Run:
    """`at`: when it began; of a run that is missing, when it was expected. `noted_at`: when its state could
    be told: its end, or the last moment until which it could have begun or ended in time."""

    at: datetime
    state: RunState
    noted_at: datetime
    ended_at: datetime | None = None
    duration_ms: float | None = None
    host: str = ""
    release: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The earliest run first. `failing_since`: the first failed run of those for which the monitor fails.
    `failing_from`: when the last of them made it fail. `next_expected_at`: None without a schedule."""

    runs: Sequence[Run]
    state: MonitorState
    failing_since: datetime | None
    failing_from: datetime | None
    next_expected_at: datetime | None


Span = tuple[datetime, datetime]
KnownThrough = Callable[[Sequence[str]], datetime]
"""Until when everything is known that these hosts have sent, the last of them the one that ran the job
last."""


def history_of(
    sent: Sequence[SentRun], known_through: KnownThrough, now: datetime, absences: Sequence[Span] = ()
) -> History:
    """Of the runs of one monitor in one environment, the earliest first. `absences`: when the service was
    away; what is sent to it without a shipper is lost then."""
    runs: list[Run] = []
    next_at = None
    for number, run in enumerate(sent):
        hosts = [one.host for one in sent[max(0, number + 1 - RECENT_RUNS) : number + 1]]
        through = min(known_through(hosts), now)
        following = sent[number + 1] if number + 1 < len(sent) else None
        lost = () if run.host else absences
        runs.append(_run(run, min(known_through([run.host]), now), lost))
        if run.config is not None:
            until = following.begun_at if following else now
            runs += _missing(run.config, run.begun_at, until, through, lost)
            if following is None:
                next_at = _next_at(run.config, run.begun_at, now)
    return _judged(runs, sent[-1] if sent else None, next_at, now)


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
    """Runs expected after one, which had not begun in time before the next, or until now."""
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


def _judged(runs: Sequence[Run], last: SentRun | None, next_at: datetime | None, now: datetime) -> History:
    config = last.config if last else None
    most_bad = min(config.failure_threshold, MOST_IN_A_ROW) if config else 1
    most_good = min(config.recovery_threshold, MOST_IN_A_ROW) if config else 1
    since = failing_from = first_bad = None
    bad = good = 0
    for run in runs:
        if run.state is RunState.OK:
            good, bad = good + 1, 0
            if good >= most_good:
                since = failing_from = None
        elif run.state in FAILED:
            first_bad = run.at if not bad else first_bad
            good, bad = 0, bad + 1
            if bad >= most_bad and since is None:
                since, failing_from = first_bad, run.noted_at
    if last and _is_inactive(runs, last, now):
        return History(runs, MonitorState.INACTIVE, None, None, None)
    return History(runs, _state(runs, since is not None), since, failing_from, next_at)


def _is_inactive(runs: Sequence[Run], last: SentRun, now: datetime) -> bool:
    heard_at = max(one.occurred_at for one in last.statuses)
    missing = sum(run.at > heard_at for run in runs)
    return now - heard_at > INACTIVE_AFTER and (last.config is None or missing >= FEWEST_MISSING)


def _state(runs: Sequence[Run], is_failing: bool) -> MonitorState:
    if is_failing:
        return MonitorState.FAILING
    if runs and runs[-1].state in UNTOLD:
        return MonitorState.UNKNOWN
    has_ended = any(run.state is RunState.OK or run.state in FAILED for run in runs)
    return MonitorState.OK if has_ended else MonitorState.WAITING
