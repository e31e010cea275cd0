"""Occurrences of an issue, in standard periods and of all time: built counts plus new events."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.counting import (
    ALL,
    NOTHING,
    OF_ALL_TIME,
    OF_THEIR_VARIANTS,
    WHOLE,
    Counted,
    Counting,
    Source,
    Span,
    counts_of_issues,
    totals_held,
)
from errata.warehouse.queries.issue.merged_issue import MergedIssue
from errata.warehouse.queries.period import Period

SpanKey = tuple[str, str | None]
"""Span and environment."""
PRIORITY_PERIODS = ("24h", "7d", "14d")
# The longest period over which a priority counts users.
USERS_OF_PRIORITY = "14d"


@dataclass(frozen=True)
class Marks:
    """The extent of an issue's events, of all time. While it is unchanged, so are the events of an issue with
    the same variants."""

    event_count: int
    first_seen: datetime | None
    last_seen: datetime | None


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


def spans_of(period: Period) -> dict[str, Span]:
    """The spans that the page of an issue shows."""
    chosen = [period, *(Period.parse(text, period.now) for text in PRIORITY_PERIODS)]
    return {span.name: span for span in (*map(Span.of, chosen), OF_ALL_TIME)}


def issue_counts(warehouse: Warehouse, project_id: int, issue_id: int, period: Period) -> IssueCounts:
    """Counts of an issue: from totals for spans they hold, else from days."""
    spans = spans_of(period)
    totals = totals_held(warehouse, project_id, spans.values())
    held = tuple(span for span in spans.values() if span.name in (ALL, *totals.held))
    with_users = tuple(span for span in held if span.name in (ALL, period.text, USERS_OF_PRIORITY))
    counting = Counting(
        warehouse, project_id, totals, by_totals=held, users_of=with_users, wholes=(True, False)
    )
    others = [
        replace(counting, by_totals=(), users_of=()).of(span, Source.DAYS)
        for span in spans.values()
        if span not in held
    ]
    counted = {
        (span, environment): counted
        for each in (counting, *others)
        for (_, span, environment), counted in counts_of_issues(each, [issue_id]).items()
    }
    return IssueCounts(spans, counted)


@dataclass(frozen=True)
class VariantCount:
    event_count: int
    last_seen: datetime


def counts_by_variant(warehouse: Warehouse, merged: MergedIssue) -> dict[int, VariantCount]:
    """Counts of all time by variant; variants without remaining events are left out."""
    with one_snapshot():
        totals = totals_held(warehouse, merged.project_id, ())
        counting = Counting(warehouse, merged.project_id, totals)
        about = {"issue_ids": [merged.issue_id]}
        edge = counting.edge(OF_THEIR_VARIANTS, **about)
        rows = warehouse.rows(
            sql.query("counts_by_variant"), {**counting.parameters, **about}, tables=[edge.fresh]
        )
    return {row["variant_hash"]: VariantCount(row["event_count"], utc(row["last_seen"])) for row in rows}
