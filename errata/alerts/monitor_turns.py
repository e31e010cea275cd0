"""What an alert rule of monitors fires for: one that fails or misses a run, and its recovery."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from errata.alerts.kinds.monitor import USUAL
from errata.monitors.declaration import Key
from errata.monitors.history import MonitorState
from errata.monitors.run import RunState
from errata.monitors.turns import LastTold, Outcome, Turn, untold
from errata.reports.formats import plural
from errata.state.alerts.firings import Found, monitor_id
from errata.warehouse.queries.monitors.monitors import MOST_LISTED, Monitor

FAILED_WORDS = {
    RunState.ERROR: "ended with an error",
    RunState.TIMEOUT: "timed out",
    RunState.MISSED: "was missed",
}


def of_condition(monitors: Iterable[Monitor], condition: Mapping[str, Any]) -> list[Monitor]:
    wanted = condition["monitor_slug"]
    return [monitor for monitor in monitors if wanted in ("", monitor.slug)]


def found_now(
    monitors: Sequence[Monitor],
    condition: Mapping[str, Any],
    told: Mapping[Key, LastTold],
    since: datetime,
    caught_up_since: datetime,
    now: datetime,
) -> list[Found]:
    """Turns after those that were `told`, or of a monitor that no firing is of after `since`. A monitor that
    failed and isn't there any more, since its declaration was removed before its first run, has recovered."""
    known = {monitor.key for monitor in monitors}
    gone = [] if len(monitors) >= MOST_LISTED else sorted(told.keys() - known)
    return [
        _found_of(key, now, Outcome.RECOVERED, 0, "no longer monitored")
        for key in gone
        if told[key].outcome != Outcome.RECOVERED
    ] + [
        _found(monitor, turn)
        for monitor in of_condition(monitors, condition)
        if monitor.history.state is not MonitorState.INACTIVE
        for turn in untold(
            _turns(monitor, condition),
            monitor.history.runs,
            told.get(monitor.key),
            since,
            caught_up_since,
            now,
        )
    ]


def found_in(
    monitors: Iterable[Monitor], condition: Mapping[str, Any], since: datetime, until: datetime
) -> list[Found]:
    """Turns of the runs as they are known today."""
    found = [
        _found(monitor, turn)
        for monitor in of_condition(monitors, condition)
        for turn in _turns(monitor, condition)
        if since < turn.at <= until and turn.is_new
    ]
    return sorted(found, key=lambda each: (each.fired_at, each.monitor_slug, each.environment))


def _turns(monitor: Monitor, condition: Mapping[str, Any]) -> Sequence[Turn]:
    return monitor.history.turns(is_missed_enough=condition["fires_on"] == USUAL)


def _found(monitor: Monitor, turn: Turn) -> Found:
    return _found_of(monitor.key, turn.at, turn.outcome, turn.failed_count, _words(turn))


def _found_of(key: Key, at: datetime, outcome: Outcome, failed_count: int, words: str) -> Found:
    slug, environment = key
    return Found(
        "",
        f"{outcome}:{monitor_id(slug, environment)}:{at:%Y-%m-%dT%H:%M:%S.%f}",
        at,
        failed_count,
        slug,
        f"{environment}: {words}" if environment else words,
        outcome.value,
        monitor_slug=slug,
        environment=environment,
    )


def _words(turn: Turn) -> str:
    at = f"{turn.run.at:%Y-%m-%d %H:%M} UTC"
    if turn.outcome is Outcome.RECOVERED:
        return f"the run of {at} ended well"
    if turn.outcome is Outcome.MISSED:
        return f"no run began at {at}"
    ended = FAILED_WORDS[turn.run.state]
    if turn.failed_count == 1:
        return f"the run of {at} {ended}"
    return f"{plural(turn.failed_count, 'failed run')} in a row, and the run of {at} {ended}"
