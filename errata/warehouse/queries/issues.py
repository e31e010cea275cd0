"""The issue list of a project."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from string import Template

from errata.search import Search, parse
from errata.search.pattern import Pattern
from errata.search.terms import Choices, Texts, Words
from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.issue_totals import Asked, rows_by_totals
from errata.warehouse.queries.known_releases import known_releases
from errata.warehouse.queries.moved_issues import MOST_MOVED, Moment, moved_issues
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.search_facets import latest_events
from errata.warehouse.queries.search_meaning import Asking, Meaning
from errata.warehouse.queries.variant_counts import counted_rows, counted_rows_of
from errata.warehouse.queries.workflow import whole_issues

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
    moved_now = moved_issues(warehouse, project_id, place.moment if place else None)
    rows, looked_at = _rows(warehouse, project_id, filters, sort, limit + 1, place)
    moved: list[Row] = []
    if place and moved_now.issue_ids:
        found, _ = _rows(warehouse, project_id, filters, sort, MOST_MOVED, None, moved_now.issue_ids)
        moved = [row for row in found if _key(row) >= place.key]
    page = [*moved, *rows][:limit]
    last = _last_key(page, moved, limit, place)
    return IssuePage(
        issues=[_issue(row) for row in page],
        next_cursor=_cursor(sort, last, moved_now.moment) if len(moved) + len(rows) > limit else None,
        bucket_starts=filters.period.bucket_starts,
        looked_at=looked_at,
    )


def _rows(
    warehouse: Warehouse,
    project_id: int,
    filters: IssueFilters,
    sort: Sort,
    limit: int,
    place: "Place | None",
    issue_ids: Sequence[int] = (),
) -> tuple[list[Row], int]:
    """Below a place, or of some issues only; and how many events had to be read."""
    period = filters.period
    after_value, after_issue_id = place.key if place else (0, 0)
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
    narrowed = standard_parameters(filters.search, filters.chosen_status)
    if narrowed is None or issue_ids:
        return searched_rows(warehouse, project_id, filters, asked, issue_ids)
    totalled = None
    if not filters.release and not narrowed["words"]:
        totalled = rows_by_totals(
            warehouse,
            Asked(
                project_id=project_id,
                period=period,
                environment=filters.environment,
                statuses=narrowed["statuses"],
                sort=sort.value,
                after=place.key if place else None,
                limit=limit,
            ),
        )
    if totalled is not None:
        return totalled, 0
    parameters = {**asked, **narrowed}
    return counted_rows(warehouse, "issues_of_project", [project_id], period.since, parameters), 0


def searched_rows(
    warehouse: Warehouse,
    project_id: int,
    filters: IssueFilters,
    asked: Parameters,
    issue_ids: Sequence[int] = (),
) -> tuple[list[Row], int]:
    """What the counts of whole variants cannot answer; and how many events were read for it."""
    asking = asking_of(warehouse, project_id, filters)
    status = Choices(False, "is", (filters.chosen_status.value,)) if filters.chosen_status else None
    terms = [*filters.search.terms, *([status] if status else [])]
    if issue_ids:
        terms.append(Texts(False, "issue", tuple(Pattern.exact(issue_text(each)) for each in issue_ids)))
    meaning = Meaning.of(Search(tuple(terms)), asking)
    statement = Template(sql.query("issues_by_search")).substitute(meaning.pieces)
    since = filters.period.since
    rows = counted_rows_of(warehouse, statement, [project_id], since, {**asked, **meaning.parameters})
    if not meaning.reads_events:
        return rows, 0
    return rows, latest_events(warehouse, project_id, Search(), filters.period, asking).event_count


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


def standard_parameters(search: Search, status: Status | None) -> dict[str, list[str]] | None:
    """Of a search that precomputed counts answer: words, and one choice of states; else None."""
    words, states = [], [status.value] if status else []
    for term in search.terms:
        if isinstance(term, Words) and not term.is_negated and not term.pattern.has_wildcard:
            words.append(term.pattern.text)
        elif (
            isinstance(term, Choices)
            and not states
            and set(term.values) <= set(Status)
            and not term.is_negated
        ):
            states = list(term.values)
        else:
            return None
    if Status.UNRESOLVED in states:
        states.append(Status.REGRESSED.value)
    return {"words": words, "statuses": states}


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


@dataclass(frozen=True)
class Place:
    """After which row a page begins, and when that row was asked for."""

    key: tuple[int, int]
    moment: Moment


def _key(row: Row) -> tuple[int, int]:
    return row["sort_value"], row["issue_id"]


def _last_key(page: Sequence[Row], moved: Sequence[Row], limit: int, place: Place | None) -> tuple[int, int]:
    """Where the next page begins; after a page of moved issues alone nothing below was shown yet."""
    if place and len(moved) == limit:
        return place.key
    return _key(page[-1]) if page else (0, 0)


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
