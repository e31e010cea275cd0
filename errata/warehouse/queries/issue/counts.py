"""Occurrences of an issue, in standard periods and of all time: built counts plus new events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from errata.clock import EPOCH, utc
from errata.period import Grain, Period, TimeRange
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.counting import (
    ALL,
    NOTHING,
    OF_ALL_TIME,
    WHOLE,
    Counted,
    Counting,
    Source,
    Span,
    counts_of_issues,
    totals_held,
)
from errata.warehouse.queries.issue.merged_issue import MergedIssue

SpanKey = tuple[str, str | None]
"""Span and environment."""
PRIORITY_PERIODS = ("24h", "7d", "14d")
# By its steps the latest events of an issue are found.
LONGEST = "90d"
# The longest period over which a priority counts users.
USERS_OF_PRIORITY = "14d"
# The name of a span that only the chart has.
CHART = "chart"


@dataclass(frozen=True)
class Marks:
    """The extent of an issue's events, of all time. While it is unchanged, so are the events of an issue with
    the same variants."""

    event_count: int
    first_seen: datetime | None
    last_seen: datetime | None


@dataclass(frozen=True)
class History:
    """Events by step of time, a line for each environment."""

    bucket_starts: Sequence[datetime]
    lines: Sequence[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class IssueCounts:
    """Counts by span and environment; WHOLE is all environments together."""

    spans: Mapping[str, Span]
    counted: Mapping[SpanKey, Counted]

    @property
    def marks(self) -> "Marks":
        lives = self.counted_in(ALL)
        return Marks(lives.event_count, lives.first_seen, lives.last_seen)

    def counted_in(self, span: str, environment: str | None = WHOLE) -> Counted:
        return self.counted.get((span, environment), NOTHING)

    def lines(self, span: str) -> list[tuple[str, tuple[int, ...]]]:
        """Events by step for each environment, the busiest first."""
        found = [
            (environment, counted)
            for (name, environment), counted in self.counted.items()
            if name == span and environment is not None
        ]
        found.sort(key=lambda line: (-line[1].event_count, line[0]))
        return [(environment, counted.steps) for environment, counted in found]

    def moment_of(self, event_count: int) -> datetime:
        """The moment from which at least so many events occurred; the epoch if there are fewer."""
        for span in sorted(self.spans.values(), key=lambda span: span.step):
            held = 0
            for place, count in reversed(list(enumerate(self.counted_in(span.name).steps))):
                held += count
                if held >= event_count:
                    return span.since + place * span.step
        return EPOCH


def spans_of(period: TimeRange) -> dict[str, Span]:
    """The spans that the head of an issue reads."""
    chosen = [period, *(Period(text).of_events(period.now) for text in (*PRIORITY_PERIODS, LONGEST))]
    return {span.name: span for span in (*map(Span.of, chosen), OF_ALL_TIME)}


def issue_counts(warehouse: Warehouse, project_id: int, issue_id: int, period: TimeRange) -> IssueCounts:
    """Counts of an issue: from totals for spans they hold, else from days."""
    spans = spans_of(period)
    totals = totals_held(warehouse, project_id, spans.values())
    held = tuple(span for span in spans.values() if span.name in (ALL, *totals.held))
    with_users = tuple(span for span in held if span.name in (ALL, period.text, USERS_OF_PRIORITY))
    counting = Counting(
        warehouse,
        project_id,
        totals,
        by_totals=held,
        users_of=with_users,
        issue_ids=(issue_id,),
        wholes=(True, False),
    )
    others = [
        replace(counting, by_totals=(), users_of=()).of(span, Source.DAYS)
        for span in spans.values()
        if span not in held
    ]
    counted = {
        (span, environment): counted
        for each in (counting, *others)
        for (_, span, environment), counted in counts_of_issues(each).items()
    }
    return IssueCounts(spans, counted)


def history_of(
    warehouse: Warehouse, project_id: int, issue_id: int, period: TimeRange, counts: IssueCounts
) -> History:
    """Events by step of the chart: as counted for the period, where its steps are the same."""
    began = [moment for moment in (_began(warehouse, project_id), counts.marks.first_seen) if moment]
    steps = period.steps(min(began, default=None))
    if (steps.since, steps.step) == (period.since, period.bucket):
        return History(period.bucket_starts, counts.lines(period.text))
    span = Span(CHART, steps.since, steps.step, steps.count, period.until, steps.grain)
    counted = _counted_in(warehouse, project_id, issue_id, span, is_whole=False)
    return History(steps.starts, IssueCounts({CHART: span}, counted).lines(CHART))


def counts_before(
    warehouse: Warehouse, project_id: int, issue_id: int, period: TimeRange, starts: Sequence[datetime]
) -> tuple[int, ...]:
    """Events of all environments in as many steps before those of a chart."""
    step = starts[1] - starts[0] if len(starts) > 1 else period.bucket
    grain = next(one for one in reversed(Grain) if one.value <= step)
    grain = min(grain, period.grain, key=lambda one: one.value)
    span = Span(CHART, starts[0] - len(starts) * step, step, len(starts), starts[0], grain)
    counted = _counted_in(warehouse, project_id, issue_id, span, is_whole=True)
    return counted[CHART, WHOLE].steps if counted else (0,) * len(starts)


def _counted_in(
    warehouse: Warehouse, project_id: int, issue_id: int, span: Span, *, is_whole: bool
) -> dict[SpanKey, Counted]:
    """By days, hours or events: no total holds the steps of a chart."""
    with one_snapshot():
        totals = totals_held(warehouse, project_id, ())
        counting = Counting(warehouse, project_id, totals, issue_ids=(issue_id,), wholes=(is_whole,))
        counted = counts_of_issues(counting.of(span, Source.DAYS))
    return {(span.name, environment): each for (_, _, environment), each in counted.items()}


def _began(warehouse: Warehouse, project_id: int) -> datetime | None:
    """When the first event or page load of the project came in, as of the last minute."""
    rows = warehouse.shared(60.0).rows(sql.query("project_began"), {"project_id": project_id})
    return utc(rows[0]["began_at"]) if rows and rows[0]["source_count"] else None


@dataclass(frozen=True)
class VariantCount:
    event_count: int
    last_seen: datetime


def counts_by_variant(warehouse: Warehouse, merged: MergedIssue) -> dict[int, VariantCount]:
    """Counts of all time by variant; variants without remaining events are left out."""
    with one_snapshot():
        totals = totals_held(warehouse, merged.project_id, ())
        counting = Counting(warehouse, merged.project_id, totals, issue_ids=(merged.issue_id,))
        fresh, _ = counting.edge().tables(counting.issue_ids)
        rows = warehouse.rows(sql.query("counts_by_variant"), counting.parameters, tables=[fresh])
    return {row["variant_hash"]: VariantCount(row["event_count"], utc(row["last_seen"])) for row in rows}
