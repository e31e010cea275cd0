"""Moments at which a sliding window came to exceed a threshold; windows above it from the start do not
count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.warehouse.queries.alerts.busy import Busy, Step, busy_issues
from errata.warehouse.queries.alerts.clock import TICK, TICK_MS, moment_of, tick_of
from errata.warehouse.queries.alerts.events import Events, Sighting, lists

CROSSINGS = "alert_crossings"

# Below this many events, counting all is cheaper than finding the busy issues first.
FEW_EVENTS = 20_000


@dataclass(frozen=True)
class Threshold:
    """More than `over` events, or identified users, in `window`, of one issue or of all together."""

    over: int
    window: timedelta
    of_users: bool
    by_issue: bool


def crossings(events: Events, threshold: Threshold, since: datetime, until: datetime) -> list[Sighting]:
    read_since = since - threshold.window - 2 * TICK
    total = events.count(read_since, until)
    if total <= threshold.over:
        return []
    if not threshold.by_issue or total <= FEW_EVENTS:
        return _crossings(events, threshold, since, until, None)
    step = Step(threshold.window, threshold.over, is_sliding=True, of_users=threshold.of_users)
    busy = busy_issues(events, read_since, until, step)
    return [
        found
        for issue_ids, begin, end in _portions(busy)
        for found in _crossings(events, threshold, max(since, begin), min(until, end), issue_ids)
    ]


def _portions(busy: Sequence[Busy]) -> Iterator[tuple[list[int], datetime, datetime]]:
    """Groups of issues for one question, with the time in which they may cross the threshold."""
    for issue_ids in lists({each.issue_id for each in busy}):
        chosen = [each for each in busy if each.issue_id in set(issue_ids)]
        yield issue_ids, min(each.since for each in chosen), max(each.until for each in chosen)


def _crossings(
    events: Events, threshold: Threshold, since: datetime, until: datetime, issue_ids: list[int] | None
) -> list[Sighting]:
    first_tick, window_ticks = tick_of(since), threshold.window // TICK
    rows = events.rows(
        CROSSINGS,
        read_since=moment_of(first_tick - window_ticks - 1),
        until=until,
        over=threshold.over,
        window_ticks=window_ticks,
        tick_ms=TICK_MS,
        first_tick=first_tick,
        of_users=threshold.of_users,
        by_issue=threshold.by_issue,
        is_whole=issue_ids is None,
        issue_ids=issue_ids or [],
    )
    return [Sighting(row["issue_id"], moment_of(row["tick"]), row["value"], str(row["tick"])) for row in rows]
