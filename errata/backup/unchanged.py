"""What cannot have changed at a service since it was backed up, so that a copy must answer the same.

Events go on arriving, some of them late: a day's figures are final only as long as nothing of that day
arrives. The running warehouse knows for which days something was received since, and which issues were
merged, split or deleted.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.late_rows import PART_WAITS

MOST_DAYS, DAYS_BACK = 7, 14
DAY = timedelta(days=1)
# Builds put days with late rows off for an hour at most.
BUILDS_LAG = timedelta(hours=2)
# Of a page load's parts, which count on the day of the load.
AROUND = PART_WAITS.days


@dataclass(frozen=True)
class Days:
    """Half-open."""

    since: date
    until: date

    @property
    def period(self) -> str:
        return f"{self.since}T00:00Z/{self.until}T00:00Z"


@dataclass(frozen=True)
class Changes:
    """By project: days of what was received, and ids of issues that were decided about."""

    days: Mapping[int, Collection[date]]
    issues: Mapping[int, Collection[str]]


def changes_since(url: str, since: datetime) -> Changes:
    """Of a running warehouse, as the user of builds."""
    days: dict[int, set[date]] = {}
    issues: dict[int, set[str]] = {}
    with closing(Warehouse(url)) as warehouse:
        for row in warehouse.rows(sql.build_statement("days_received_since"), {"since": since}):
            days.setdefault(row["project_id"], set()).add(row["day"])
        for row in warehouse.rows(sql.build_statement("issues_decided_since"), {"since": since}):
            issues.setdefault(row["project_id"], set()).add(f"{row['issue']:016x}")
    return Changes(days, issues)


def unchanged_days(received: Collection[date], copied_at: datetime) -> Days | None:
    """The latest days in a row, at most a week of them, that were over when the copy was made and got
    nothing since. None: there are none in the last two weeks."""
    touched = {day + n * DAY for day in received for n in range(-AROUND, AROUND + 1)}
    last = copied_at.astimezone(UTC).date() - DAY
    candidates = [last - n * DAY for n in range(DAYS_BACK)]
    run: list[date] = []
    for day in candidates:
        if day not in touched and len(run) < MOST_DAYS:
            run.append(day)
        elif run:
            break
    return Days(run[-1], run[0] + DAY) if run else None


def built_before(copied_at: datetime, as_of: Sequence[str | None]) -> datetime | None:
    """Figures of the copy know everything received before: it began to be made then, or was built as of
    then. None: something was never built."""
    moments = [copied_at]
    for moment in as_of:
        if moment is None:
            return None
        moments.append(datetime.fromisoformat(moment))
    return min(moments) - BUILDS_LAG
