"""Hours in which an issue has more events than its own history predicts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errata.clock import utc
from errata.warehouse.client import Row
from errata.warehouse.queries.alerts.busy import Busy, Step, busy_issues
from errata.warehouse.queries.alerts.events import LONGEST_LIST, Events, Sighting

HOUR = timedelta(hours=1)
# Ids of this many events fit in the memory of one question.
EVENTS_A_QUESTION = 1_000_000


@dataclass(frozen=True)
class Judgement:
    """`passed_limit`: the limit by the counts of the last `history_hours` hours, if the count given with them
    and the number of its hour is above it; never less than `least`."""

    passed_limit: Callable[[Sequence[int], int, int], int | None]
    history_hours: int
    least: int


def escalations(events: Events, judgement: Judgement, since: datetime, until: datetime) -> list[Sighting]:
    first_hour = since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    if events.count(first_hour, until) <= judgement.least:
        return []
    read_since = first_hour - judgement.history_hours * HOUR
    busy = busy_issues(events, read_since, until, Step(HOUR, judgement.least), first_hour)
    passed = [
        (row["issue_id"], hour, limit)
        for issue_ids in _portions(busy)
        for row in events.rows("alert_hours", since=read_since, until=until, issue_ids=issue_ids)
        for hour, limit in hours_over(
            row["hours"], row["event_counts"], int(first_hour.timestamp()) // 3600, judgement
        )
    ]
    rows = [row for row in _passings(events, passed, read_since, until) if utc(row["at"]) >= since]
    return [Sighting(row["issue_id"], utc(row["at"]), row["value"], str(row["hour"])) for row in rows]


def _portions(busy: Sequence[Busy]) -> Iterator[list[int]]:
    """Groups of issues for one question."""
    portion, total = list[int](), 0
    for each in sorted(busy, key=lambda each: each.issue_id):
        if portion and (total + each.event_count > EVENTS_A_QUESTION or len(portion) == LONGEST_LIST):
            yield portion
            portion, total = [], 0
        portion.append(each.issue_id)
        total += each.event_count
    if portion:
        yield portion


def hours_over(
    hours: Sequence[int], event_counts: Sequence[int], first_hour: int, judgement: Judgement
) -> list[tuple[int, int]]:
    """The hours of an issue that are above their limits, with the limits."""
    counts: Mapping[int, int] = dict(zip(hours, event_counts, strict=True))
    oldest, found = min(counts), []
    dense = [counts.get(hour, 0) for hour in range(oldest, max(counts) + 1)]
    for hour, count in sorted(counts.items()):
        if hour < first_hour or count <= judgement.least:
            continue
        place = hour - oldest
        history = dense[max(0, place - judgement.history_hours) : place]
        limit = judgement.passed_limit(history, count, hour)
        if limit is not None:
            found.append((hour, limit))
    return found


def _passings(
    events: Events, passed: Sequence[tuple[int, int, int]], since: datetime, until: datetime
) -> Iterator[Row]:
    """The receipt of the first event above the limit."""
    for start in range(0, len(passed), LONGEST_LIST):
        issues, hours, limits = zip(*passed[start : start + LONGEST_LIST], strict=True)
        yield from events.rows(
            "alert_passings",
            since=since,
            until=until,
            issues=list(issues),
            hours=list(hours),
            limits=list(limits),
        )
