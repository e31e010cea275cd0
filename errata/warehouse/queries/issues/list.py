"""The issue list of a project.

The statements, in their order:

1. `releases_of_project` and `merged_issues`, for searches by the order of releases or `is:linked` alone.
2. `totals_held`, once a build: the periods that totals hold.
3. `mart_progress`, if days or events are counted; `events_of_period` beside the others, if events are.
4. `live_edge`; then, at once, `arrivals` if anything arrived since this process looked (the events received
   since the build), and `moved_variants` if variants were assigned since.
5. `issues_listed`: chooses and sorts the issues of a page, by the issue that each variant belongs to now.
6. `issues_shown` and `looks_of_issues`, at once: what the list shows of them, unless it is known.

`counting.py` asks 2 and 3, but for `events_of_period`, and `edge.py` asks 4; the former puts together the
count that 5 and 6 read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from errata.clock import EPOCH, utc
from errata.period import Period, TimeRange
from errata.warehouse import sql
from errata.warehouse.at_once import BOTH_CORES, both
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.compiled_search import ISSUE_NAMES, CompiledSearch
from errata.warehouse.queries.counting import (
    OF_ALL_TIME,
    Condition,
    Counting,
    Source,
    Span,
    totals_held,
)
from errata.warehouse.queries.edge import ALWAYS, Edge
from errata.warehouse.queries.issues.filters import IssueFilters, query_context
from errata.warehouse.queries.issues.issue import Issue
from errata.warehouse.queries.issues.place import Place, cursor_after, place_of
from errata.warehouse.queries.vocabulary import Sort
from errata.warehouse.typed_rows import typed

SEEN_FIRST, SEEN_LAST = frozenset({"first_seen", "first_release"}), frozenset({"last_seen"})
# A ClickHouse takes 128 KiB in one parameter by default, and an id has up to 20 digits.
MOST_NAMED = 5_000
NO_USERS, NO_STEPS = "toUInt64(0)", "emptyArrayUInt64()"
SORT_VALUES = {
    Sort.EVENTS: "toInt64(event_count)",
    Sort.USERS: "toInt64(user_count)",
    Sort.FIRST_SEEN: "toUnixTimestamp64Milli(first_seen)",
    Sort.LAST_SEEN: "toUnixTimestamp64Milli(last_seen)",
}


@dataclass(frozen=True)
class IssuePage:
    """`looked_at`: events that had to be read one by one; 0 where counts answered."""

    issues: Sequence[Issue]
    next_cursor: str | None
    bucket_starts: Sequence[datetime]
    looked_at: int = 0


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
    place = place_of(cursor, sort) if cursor else None
    with one_snapshot():
        query = _IssueQuery.of(warehouse, project_id, filters, sort)
        rows, looked_at = both(lambda: query.rows(limit + 1, place), query.looked_at)
        page = rows[:limit]
        return IssuePage(
            issues=query.issues(page),
            next_cursor=cursor_after(sort, page, query.edge, place) if len(rows) > limit else None,
            bucket_starts=filters.period.bucket_starts,
            looked_at=looked_at,
        )


@dataclass(frozen=True)
class _IssueQuery:
    """One question, of one snapshot of builds."""

    counting: Counting
    edge: Edge
    filters: IssueFilters
    compiled: CompiledSearch
    sort: Sort

    @classmethod
    def of(cls, warehouse: Warehouse, project_id: int, filters: IssueFilters, sort: Sort) -> "_IssueQuery":
        compiled = CompiledSearch.of(
            filters.full_search, query_context(warehouse, project_id, filters), also=filters.is_of_user
        )
        span = Span.of(filters.period)
        totals = totals_held(warehouse, project_id, [span, *_beside(filters.period)])
        counting = Counting(
            warehouse,
            project_id,
            totals,
            wholes=(not filters.environment,),
            environments=(filters.environment,) if filters.environment else (),
        )
        if compiled.is_of_issues_alone and not filters.release and span.name in totals.held:
            counting = replace(counting, by_totals=(span, OF_ALL_TIME))
        else:
            source = Source.EVENTS if compiled.reads_events else Source.DAYS
            condition = Condition(compiled.of_events, filters.release, compiled.parameters)
            counting = replace(counting, by_totals=(OF_ALL_TIME,)).of(span, source, condition)
        return cls(counting, counting.edge(), filters, compiled, sort)

    def rows(self, limit: int, place: Place | None) -> list[Row]:
        """Issues of a page, what they are sorted by and what is known of them as a whole."""
        found = replace(
            self.counting,
            by_totals=self.counting.by_totals if self._asks_all_time else self._spans,
            users_of=self._spans if self._counts_all_users else (),
        )
        is_asked = sql.part("counts_asked_for")
        statement = sql.query("issues_listed").at(
            counts=found.counts(self.edge),
            is_asked=is_asked,
            user_count=sql.part("users_counted").at(is_asked=is_asked)
            if self._counts_all_users
            else NO_USERS,
            steps=sql.part("steps_counted").at(is_asked=is_asked) if self._counts_steps else NO_STEPS,
            sort_value=SORT_VALUES[self.sort],
            texts=sql.part(
                "texts_of_issues" if ISSUE_NAMES & self.compiled.issue_columns else "texts_left_out"
            ),
            issue_condition=self.compiled.of_issues,
            is_below=sql.part("issues_below") if place else ALWAYS,
        )
        value, issue_id = place.key if place else (0, 0)
        parameters = {
            **self.compiled.parameters,
            **found.parameters,
            **self._chosen,
            "after_value": value,
            "after_issue_id": issue_id,
            "seen_since": place.asked_at if place else EPOCH,
            "seen_count": place.recent_count if place else 0,
            "limit": limit,
        }
        # What reads little, two threads make a quarter dearer.
        settings = BOTH_CORES if self._counts_all_users else None
        return found.warehouse.rows(statement, parameters, settings, self.edge.tables())

    def issues(self, rows: Sequence[Row]) -> list[Issue]:
        """With what the list shows of them beside."""
        portions = (rows[first : first + MOST_NAMED] for first in range(0, len(rows), MOST_NAMED))
        return [issue for portion in portions for issue in self._issues(portion)]

    def _issues(self, rows: Sequence[Row]) -> list[Issue]:
        issue_ids = tuple(row["issue_id"] for row in rows)
        shown, looks = both(lambda: self._shown(issue_ids), lambda: self._looks(issue_ids))
        # Meanwhile one may have been merged into another.
        left = shown.keys() & looks.keys()
        return [
            typed(Issue, {**looks[issue_id], **row, **shown[issue_id], **self._counted(row)})
            for issue_id, row in zip(issue_ids, rows, strict=True)
            if issue_id in left
        ]

    def _counted(self, row: Row) -> Row:
        """What the choice of issues has told beside."""
        users = {"user_count": row["counted_users"]} if self._counts_all_users else {}
        return {**users, "sparkline": row["sparkline"]} if self._counts_steps else users

    def _shown(self, issue_ids: tuple[int, ...]) -> dict[int, Row]:
        """Users, unless all issues' are counted, steps and releases. Hours and days count all events, so a
        search of events has none."""
        counting = self.counting
        beside = [] if counting.span else _beside(self.filters.period)
        held = [span for span in beside if span.name in counting.totals.held]
        shown = replace(
            counting,
            span=None if self._counts_steps else counting.span,
            by_totals=tuple(dict.fromkeys((*counting.by_totals, *held))),
            users_of=() if self._counts_all_users else self._spans,
            issue_ids=issue_ids,
        )
        statement = sql.query("issues_shown").at(counts=shown.counts(self.edge))
        steps = {span.name: span.count for span in held}
        parameters = {
            **shown.parameters,
            **self._chosen,
            "hour_count": steps.get("24h", 0),
            "day_count": steps.get("30d", 0),
        }
        return _by_issue(shown.warehouse.rows(statement, parameters, BOTH_CORES, self.edge.tables(issue_ids)))

    def _looks(self, issue_ids: tuple[int, ...]) -> dict[int, Row]:
        warehouse, project_id = self.counting.warehouse, self.counting.project_id
        parameters = {"project_id": project_id, "issue_ids": list(issue_ids)}
        return warehouse.cached(
            ("looks", project_id, issue_ids, self.edge.assigned),
            lambda: _by_issue(warehouse.rows(sql.query("looks_of_issues"), parameters)),
        )

    @property
    def _chosen(self) -> dict[str, Any]:
        environment = self.filters.environment
        return {"span": self.filters.period.text, "is_whole": not environment, "environment": environment}

    @property
    def _counts_all_users(self) -> bool:
        """Else users are counted of the issues that are shown."""
        return self._counts_steps or self.sort is Sort.USERS or self.compiled.asks_users

    @property
    def _counts_steps(self) -> bool:
        """Events are read once, for all that they tell. Of days, those of the issues shown are read again,
        which costs less than the users of all."""
        return self.counting.source is Source.EVENTS

    @property
    def _asks_all_time(self) -> bool:
        """When issues were seen, whatever counts. Of all events and environments of a period, the last one is
        the last of all time."""
        is_narrowed = self.counting.span is not None or bool(self.filters.environment)
        columns = SEEN_LAST if is_narrowed else frozenset[str]()
        is_sorted = self.sort is Sort.FIRST_SEEN or (is_narrowed and self.sort is Sort.LAST_SEEN)
        return is_sorted or not self.compiled.issue_columns.isdisjoint(SEEN_FIRST | columns)

    @property
    def _spans(self) -> tuple[Span, ...]:
        """What the list is about, where totals tell it."""
        return tuple(span for span in self.counting.by_totals if span != OF_ALL_TIME)

    def looked_at(self) -> int:
        """Events that are read one by one."""
        if self.counting.source is not Source.EVENTS:
            return 0
        period = self.filters.period.in_hours
        scope = {
            "project_id": self.counting.project_id,
            "since": period.since,
            "until": period.until,
            "by_hour": period.by_hour,
        }
        (row,) = self.counting.warehouse.rows(sql.query("events_of_period"), scope)
        through = utc(row["built_through"])
        return int(row["event_count"]) + sum(
            through <= one.received_at < period.until for one in self.edge.arrivals
        )


def _beside(period: TimeRange) -> list[Span]:
    """What the list shows beside the period."""
    return [Span.of(Period(text).of_events(period.now)) for text in ("24h", "30d")]


def _by_issue(rows: Iterable[Row]) -> dict[int, Row]:
    return {row["issue_id"]: row for row in rows}
