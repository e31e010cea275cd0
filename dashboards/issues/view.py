"""The issue list, ready for its template."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter

from dashboards.issues.chart_range import Bars, ChartRange, bars, chart_ranges, shown_range
from dashboards.shared.issue import Issue, issue
from dashboards.shared.live import version
from errata.period import Period
from errata.reports import formats
from errata.search import SearchError, parse
from errata.search.hints import Hint, hints
from errata.warehouse.at_once import both
from errata.warehouse.client import TooMuchToRead, Warehouse
from errata.warehouse.queries.issues.choices import choices_of_project
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import IssuePage, issues_of_project
from errata.warehouse.queries.vocabulary import Sort

POLL, POLL_AFTER_READING = 4, 30
NOTHING = IssuePage([], None, [])


@dataclass(frozen=True, slots=True)
class ListedIssue:
    issue: Issue
    bars: Bars
    assignee: str
    chosen_priority: str


@dataclass(frozen=True, slots=True)
class Listing:
    """`has_events` is false while the project waits for its first event."""

    issues: list[ListedIssue]
    next_cursor: str
    environments: list[str]
    releases: list[str]
    as_of: datetime
    has_events: bool
    version: str
    chart_ranges: list[ChartRange]
    mistake: SearchError | None = None
    too_much: str = ""
    corrected: str = ""
    hints: Sequence[Hint] = ()
    searched_count: int = 0
    took_words: str = ""

    @property
    def chart_range(self) -> ChartRange:
        return shown_range(self.chart_ranges)

    @property
    def poll_seconds(self) -> int:
        """Longer where events are searched one by one."""
        return POLL_AFTER_READING if self.searched_count else POLL


def listing(
    warehouse: Warehouse, project_id: int, filters: IssueFilters, sort: Sort, cursor: str, chart_range: str
) -> Listing:
    began = perf_counter()
    mistake = _mistake(filters)
    (found, too_much), offered = both(
        lambda: (NOTHING, "") if mistake else _found(warehouse, project_id, filters, sort, cursor),
        lambda: choices_of_project(warehouse, project_id, filters.period.since),
    )
    ranges = chart_ranges(filters.period.period, chart_range, found.issues)
    has_events = bool(found.issues or mistake or too_much) or _has_events(
        warehouse, project_id, filters.period.now
    )
    return Listing(
        issues=[
            ListedIssue(issue(row), bars(row, ranges, filters.period.now), row.assignee, row.chosen_priority)
            for row in found.issues
        ],
        next_cursor=found.next_cursor or "",
        environments=list(offered.environments),
        releases=list(offered.releases),
        as_of=filters.period.now,
        has_events=has_events,
        version=version(found.issues, found.next_cursor, has_events, too_much),
        chart_ranges=ranges,
        mistake=mistake,
        too_much=too_much,
        corrected=_corrected(filters.text, mistake),
        hints=hints(filters.search) if not (mistake or too_much or found.issues) else (),
        searched_count=found.looked_at,
        took_words=formats.duration((perf_counter() - began) * 1000),
    )


def _found(
    warehouse: Warehouse, project_id: int, filters: IssueFilters, sort: Sort, cursor: str
) -> tuple[IssuePage, str]:
    """The page of issues, and the reason for an empty one where the search needs too many events."""
    try:
        return issues_of_project(warehouse, project_id, filters, sort, cursor=cursor), ""
    except TooMuchToRead as error:
        return NOTHING, str(error)


def _mistake(filters: IssueFilters) -> SearchError | None:
    """The mistake in the search, shown under its box beside an empty list."""
    try:
        parse(filters.text)
    except SearchError as error:
        return error
    return None


def _corrected(text: str, mistake: SearchError | None) -> str:
    """The search as it was probably meant."""
    if mistake is None or not mistake.suggestion:
        return ""
    return text[: mistake.position] + mistake.suggestion + text[mistake.end :]


def _has_events(warehouse: Warehouse, project_id: int, now: datetime) -> bool:
    ever = IssueFilters(Period("104w").of_events(now))
    return bool(issues_of_project(warehouse, project_id, ever, limit=1).issues)
