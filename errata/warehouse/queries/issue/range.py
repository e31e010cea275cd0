"""An issue between two moments."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from errata.errors import InvalidParameter
from errata.period import LONGEST
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.merged_issue import MergedIssue

MOST_BUCKETS = 48
STEPS = [timedelta(seconds=each) for each in (60, 300, 900, 3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400)]


@dataclass(frozen=True)
class Range:
    """A half-open range. Raises InvalidParameter for an empty one, and for one over two years."""

    since: datetime
    until: datetime

    def __post_init__(self) -> None:
        if not timedelta(seconds=1) <= self.until - self.since <= LONGEST:
            raise InvalidParameter("until", "a time after `since`, at most two years later")

    @property
    def bucket(self) -> timedelta:
        length = self.until - self.since
        return next((step for step in STEPS if length / step <= MOST_BUCKETS), length / MOST_BUCKETS)

    @property
    def bucket_starts(self) -> list[datetime]:
        count = -(-(self.until - self.since) // self.bucket)
        return [self.since + number * self.bucket for number in range(count)]


@dataclass(frozen=True)
class IssueRange:
    """`newest` is None if the range has no event that is still kept."""

    event_count: int
    user_count: int
    newest: UUID | None
    bucket_starts: Sequence[datetime]
    lines: Sequence[tuple[str, tuple[int, ...]]]


def issue_in_range(warehouse: Warehouse, merged: MergedIssue, chosen: Range) -> IssueRange:
    starts = chosen.bucket_starts
    (row,) = merged.rows(
        warehouse,
        "issue_in_range",
        since=chosen.since,
        until=chosen.until,
        bucket_seconds=max(1, int(chosen.bucket.total_seconds())),
        bucket_count=len(starts),
    )
    return IssueRange(
        event_count=row["event_count"],
        user_count=row["user_count"],
        newest=row["newest_event_id"] if row["event_count"] else None,
        bucket_starts=starts,
        lines=[(environment, tuple(counts)) for environment, counts in row["lines"]],
    )
