"""The issues that may have had many events at once; only these are examined closely."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import EPOCH
from errata.warehouse.queries.alerts.events import Events

BUSY_ISSUES = "alert_busy_issues"

MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True)
class Step:
    """More than `least` events in a step of time; `is_sliding`: in any window of that length."""

    length: timedelta
    least: int
    is_sliding: bool = False
    of_users: bool = False


@dataclass(frozen=True)
class Busy:
    """An issue, and the time by which all such windows end; `event_count` is of the whole span."""

    issue_id: int
    since: datetime
    until: datetime
    event_count: int


def busy_issues(
    events: Events, since: datetime, until: datetime, step: Step, judged_since: datetime = EPOCH
) -> list[Busy]:
    rows = events.rows(
        BUSY_ISSUES,
        since=since,
        until=until,
        least=step.least,
        step_ms=step.length // MILLISECOND,
        first_step=(judged_since - EPOCH) // step.length,
        is_sliding=step.is_sliding,
        of_users=step.of_users,
    )
    return [
        Busy(
            row["issue_id"],
            EPOCH + row["first_busy_step"] * step.length,
            EPOCH + (row["last_busy_step"] + 1) * step.length,
            row["event_count"],
        )
        for row in rows
    ]
