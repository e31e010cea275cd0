"""The issue list of a project."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from string import Template

from errata.clock import EPOCH, utc
from errata.search import Search, parse
from errata.search.pattern import Pattern
from errata.search.terms import Choices, Texts
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.asked import Asked
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.issue_totals import Answered, rows_by_totals
from errata.warehouse.queries.known_releases import known_releases
from errata.warehouse.queries.moved_issues import MOST_MOVED, Moment, moment_now, moved_issues
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.search_facets import latest_events
from errata.warehouse.queries.search_meaning import Asking, Meaning
from errata.warehouse.queries.variant_counts import counted_rows_of
from errata.warehouse.queries.workflow import whole_issues


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
    """What the list is narrowed to; an empty one narrows nothing. `text` is in the language of errata.search.

    `me` is the e-mail address of whoever asks; a program has none.
    `linked` tells the ids of issues that are linked elsewhere.
    """

    period: Period
    environment: str = ""
    release: str = ""
    status: Status | None = None
    text: str = ""
    me: str = ""
    linked: Callable[[], Sequence[str]] = tuple

    @cached_property
    def search(self) -> Search:
        """Raises SearchError."""
        return parse(self.text)

    @property
    def chosen_status(self) -> Status | None:
        """What the search itself says about states goes before the choice beside it."""
        return None if any(term.key == "is" for term in self.search.of(Choices)) else self.status

    @property
    def whole_search(self) -> Search:
        """With what is chosen beside it."""
        status = self.chosen_status
        chosen = (Choices(False, "is", (status.value,)),) if status else ()
        return Search((*self.search.terms, *chosen))

    @property
    def parameters(self) -> dict[str, list[str]]:
        return {
            "environments": [self.environment] if self.environment else [],
            "releases": [self.release] if self.release else [],
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
    hours: tuple[int, ...] = ()
    """Events of the last 24 hours, one number an hour; empty: not counted for this question."""
    days: tuple[int, ...] = ()
    """Of the last 30 days, one number a day."""
    assignee: str = ""
    """E-mail address; empty: nobody."""
    chosen_priority: str = ""
    """Set by a person; empty: as computed."""

    @property
    def id(self) -> str:
        return issue_text(self.issue_id)


@dataclass(frozen=True)
class IssuePage:
    """`looked_at`: events that had to be read one by one; 0 where counts answered."""

    issues: Sequence[Issue]
    next_cursor: str | None
    bucket_starts: Sequence[datetime]
    looked_at: int = 0


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
    """One page of the issues that have a matching event in the period, the greatest first.

    Issues that got events since the page before was asked for come first: they may have moved above it.
    """
    place = _after(cursor, sort) if cursor else None
    answered = _answered(warehouse, project_id, filters, sort, limit + 1, place)
    page = answered.rows[:limit]
    last = _last_key(page, place)
    return IssuePage(
        issues=[listed_issue(row) for row in page],
        next_cursor=_cursor(sort, last, answered.moment) if len(answered.rows) > limit else None,
        bucket_starts=filters.period.bucket_starts,
        looked_at=answered.looked_at,
    )


def _answered(
    warehouse: Warehouse,
    project_id: int,
    filters: IssueFilters,
    sort: Sort,
    limit: int,
    place: "Place | None",
) -> Answered:
    """Those below a place and those that moved above it since, and how many events had to be read."""
    asking = asking_of(warehouse, project_id, filters)
    meaning = Meaning.of(filters.whole_search, asking)
    if not meaning.asks_first_releases:
        asked = Asked(
            project_id=project_id,
            period=filters.period,
            environment=filters.environment,
            release=filters.release,
            meaning=meaning,
            sort=sort.value,
            after=place.key if place else None,
            seen_since=place.moment if place else None,
            limit=limit,
        )
        answered = rows_by_totals(warehouse, asked)
        if answered is not None:
            return answered
    moment = moment_now(warehouse, project_id)
    rows, looked_at = searched_rows(warehouse, project_id, filters, sort, limit, place)
    moved = moved_issues(warehouse, project_id, place.moment) if place else ()
    if place and moved:
        found, _ = searched_rows(warehouse, project_id, filters, sort, MOST_MOVED, None, moved)
        rows = [*(row for row in found if _key(row) >= place.key), *rows]
    return Answered(rows, looked_at, moment)


def searched_rows(
    warehouse: Warehouse,
    project_id: int,
    filters: IssueFilters,
    sort: Sort,
    limit: int,
    place: "Place | None",
    issue_ids: Sequence[int] = (),
) -> tuple[list[Row], int]:
    """What totals of issues cannot answer; and how many events were read for it."""
    asking, period = asking_of(warehouse, project_id, filters), filters.period
    after_value, after_issue_id = place.key if place else (0, 0)
    search = filters.whole_search
    if issue_ids:
        ids = Texts(False, "issue", tuple(Pattern.exact(issue_text(each)) for each in issue_ids))
        search = Search((*search.terms, ids))
    meaning = Meaning.of(search, asking)
    statement = Template(sql.query("issues_by_search")).substitute(meaning.pieces)
    asked = {
        **filters.parameters,
        "project_id": project_id,
        "since": period.since,
        "by_hour": period.by_hour,
        "bucket_seconds": int(period.bucket.total_seconds()),
        "bucket_count": len(period.bucket_starts),
        "sort": sort.value,
        "has_cursor": place is not None,
        "after_value": after_value,
        "after_issue_id": after_issue_id,
        "limit": limit,
    }
    rows = counted_rows_of(warehouse, statement, [project_id], {**asked, **meaning.parameters})
    if not meaning.reads_events:
        return rows, 0
    return rows, latest_events(warehouse, project_id, Search(), period, asking).event_count


def asking_of(warehouse: Warehouse, project_id: int, filters: IssueFilters) -> Asking:
    return Asking(
        filters.period.now,
        filters.me,
        lambda: known_releases(warehouse, project_id),
        lambda: _linked(warehouse, project_id, filters),
    )


def _linked(warehouse: Warehouse, project_id: int, filters: IssueFilters) -> list[int]:
    """A link of what was merged is one of the whole."""
    issue_ids = [int(issue_id, 16) for issue_id in filters.linked()]
    return sorted({whole.issue_id for whole in whole_issues(warehouse, project_id, issue_ids).values()})


def listed_issue(row: Row) -> Issue:
    values = {name: value for name, value in row.items() if name != "sort_value"}
    return Issue(
        **{
            **values,
            "status": Status(row["status"]),
            "first_seen": utc(row["first_seen"]),
            "last_seen": utc(row["last_seen"]),
            "sparkline": tuple(row["sparkline"]),
        }
    )


@dataclass(frozen=True)
class Place:
    """After which row a page begins, and when that row was asked for."""

    key: tuple[int, int]
    moment: Moment


def _key(row: Row) -> tuple[int, int]:
    return row["sort_value"], row["issue_id"]


def _last_key(page: Sequence[Row], place: Place | None) -> tuple[int, int]:
    """Where the next page begins; after a page of moved issues alone nothing below was shown yet."""
    if not page:
        return 0, 0
    return min(_key(page[-1]), place.key) if place else _key(page[-1])


def _cursor(sort: Sort, key: tuple[int, int], moment: Moment) -> str:
    return cursor_text(sort, *key, round(moment.asked_at.timestamp() * 1000), moment.event_count)


def _after(cursor: str, sort: Sort) -> Place:
    given_sort, *numbers = cursor_values(cursor, 5)
    try:
        value, issue_id, milliseconds, event_count = map(int, numbers)
    except ValueError as error:
        raise unknown_cursor() from error
    is_in_bounds = abs(value) < 1 << 63 and all(
        0 <= number < 1 << bits for number, bits in ((issue_id, 64), (milliseconds, 42), (event_count, 64))
    )
    if given_sort != sort or not is_in_bounds:
        raise unknown_cursor()
    return Place((value, issue_id), Moment(EPOCH + timedelta(milliseconds=milliseconds), event_count))
