"""The issue list of a project."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.variant_counts import counted_rows

TERM = re.compile(r'(?:(?P<key>[a-z]+):)?(?:"(?P<quoted>[^"]*)"|(?P<word>\S+))')


class Sort(StrEnum):
    LAST_SEEN = "last_seen"
    FIRST_SEEN = "first_seen"
    EVENTS = "events"
    USERS = "users"


class Status(StrEnum):
    """`regressed`: resolved, and an event occurred after that. A filter for `unresolved` finds those too."""

    UNRESOLVED = "unresolved"
    RESOLVED = "resolved"
    REGRESSED = "regressed"
    IGNORED = "ignored"


@dataclass(frozen=True)
class IssueFilters:
    """What the list is narrowed to; an empty one narrows nothing.

    `text` holds words that title, culprit or type must contain, and terms such as `type:ValueError`,
    `level:error`, `environment:production`, `release:"shop@2.10.0"`, `is:unresolved`.
    """

    period: Period
    environment: str = ""
    release: str = ""
    status: Status | None = None
    text: str = ""

    def terms(self) -> "Terms":
        terms = Terms()
        for match in TERM.finditer(self.text):
            value = match["quoted"] if match["quoted"] is not None else match["word"]
            terms.add(match["key"] or "", value)
        if self.environment:
            terms.environments.append(self.environment)
        if self.release:
            terms.releases.append(self.release)
        if self.status:
            terms.statuses.append(self.status)
        return terms


@dataclass
class Terms:
    words: list[str] = field(default_factory=list)
    environments: list[str] = field(default_factory=list)
    releases: list[str] = field(default_factory=list)
    levels: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)

    def add(self, key: str, value: str) -> None:
        known = {
            "environment": self.environments,
            "release": self.releases,
            "level": self.levels,
            "type": self.types,
            "is": self.statuses,
        }
        if key in known:
            known[key].append(value)
        else:
            self.words.append(f"{key}:{value}" if key else value)

    def parameters(self) -> dict[str, list[str]]:
        statuses = list(self.statuses)
        if Status.UNRESOLVED in statuses:
            statuses.append(Status.REGRESSED)
        return {
            "words": self.words,
            "environments": self.environments,
            "releases": self.releases,
            "levels": self.levels,
            "types": self.types,
            "statuses": [str(status) for status in statuses],
        }


@dataclass(frozen=True)
class Issue:
    """A row of the list: counts and sparkline of the period, first and last seen and releases of all time."""

    issue_id: int
    title: str
    culprit: str
    type: str
    level: str
    platform: str
    status: Status
    first_seen: datetime
    last_seen: datetime
    event_count: int
    user_count: int
    first_release: str
    last_release: str
    sparkline: tuple[int, ...]

    @property
    def id(self) -> str:
        return issue_text(self.issue_id)


@dataclass(frozen=True)
class IssuePage:
    issues: Sequence[Issue]
    next_cursor: str | None
    bucket_starts: Sequence[datetime]


def issue_text(issue_id: int) -> str:
    """An issue's id as people and programs see it: 16 hex digits."""
    return f"{issue_id:016x}"


def issues_of_project(
    warehouse: Warehouse,
    project_id: int,
    filters: IssueFilters,
    sort: Sort = Sort.LAST_SEEN,
    limit: int = 50,
    cursor: str = "",
) -> IssuePage:
    """One page of the issues that have an event in the period, the greatest first."""
    period = filters.period
    after_value, after_issue_id = _after(cursor, sort) if cursor else (0, 0)
    rows = counted_rows(
        warehouse,
        "issues_of_project",
        [project_id],
        period.since,
        {
            **filters.terms().parameters(),
            "project_id": project_id,
            "since": period.since,
            "by_hour": period.by_hour,
            "bucket_seconds": int(period.bucket.total_seconds()),
            "bucket_count": len(period.bucket_starts),
            "sort": sort.value,
            "has_cursor": bool(cursor),
            "after_value": after_value,
            "after_issue_id": after_issue_id,
            "limit": limit + 1,
        },
    )
    page = rows[:limit]
    return IssuePage(
        issues=[_issue(row) for row in page],
        next_cursor=_cursor(sort, page[-1]) if len(rows) > limit else None,
        bucket_starts=period.bucket_starts,
    )


def _issue(row: Row) -> Issue:
    values = {name: value for name, value in row.items() if name != "sort_value"}
    return Issue(
        **{
            **values,
            "status": Status(row["status"]),
            "first_seen": aware(row["first_seen"]),
            "last_seen": aware(row["last_seen"]),
            "sparkline": tuple(row["sparkline"]),
        }
    )


def _cursor(sort: Sort, row: Row) -> str:
    return cursor_text(sort, row["sort_value"], row["issue_id"])


def _after(cursor: str, sort: Sort) -> tuple[int, int]:
    given_sort, value, issue_id = cursor_values(cursor, 3)
    try:
        after = int(value), int(issue_id)
    except ValueError as error:
        raise unknown_cursor() from error
    if given_sort != sort or not (abs(after[0]) < 1 << 63 and 0 <= after[1] < 1 << 64):
        raise unknown_cursor()
    return after
