"""Statements that count events and users of issues, for the list and for the page of one issue.

Three sources tell what was built: totals (standard periods and environments), days and hours (also releases
and all other periods), and events (everything). What came in since is added to each of them. Counts belong to
the issues that variants are assigned to now. Of what was merged, split or deleted since the build (`moved`),
totals of variants are read: in place of the totals of an issue that lost a variant, beside those of an issue
that a variant joined.

Users cannot be added up. Each row of counts holds either a number of users (`user_count`, of a list's issue
that neither a user nor a variant came to since) or a set of them (`users_state`), and the other is empty: an
issue has sum(user_count) + uniqMerge(users_state).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from errata.clock import END, EPOCH, utc
from errata.period import DAY, Grain, TimeRange
from errata.warehouse import sql
from errata.warehouse.at_once import BOTH_CORES
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.edge import ALWAYS, Edge, Looking, Since, edge_of
from errata.warehouse.queries.progress import progress
from errata.warehouse.statement import Statement, union_all

ALL = "all"
OF_ISSUES = "issue_id in {issue_ids:Array(UInt64)}"
# No variant left it.
IS_INTACT = "issue_id not in (select issue_id from moved where not is_joining)"
USER_SPANS = "{user_spans:Array(Tuple(String, DateTime('UTC')))}"
SINCE_BUILD = "received_at >= {issues_through:DateTime64(3, 'UTC')}"
OF_THEIR_VARIANTS = sql.part("their_variants")


class Source(StrEnum):
    TOTALS = "totals"
    DAYS = "days"
    EVENTS = "events"


@dataclass(frozen=True)
class Span:
    """A range of time; `count` steps of `step`, none of all time. What is counted by totals has no end."""

    name: str
    since: datetime
    step: timedelta
    count: int
    until: datetime = END
    grain: Grain = Grain.DAY

    @classmethod
    def of(cls, chosen: TimeRange) -> "Span":
        steps = len(chosen.bucket_starts)
        return cls(chosen.text, chosen.since, chosen.bucket, steps, chosen.until, chosen.grain)

    @property
    def start(self) -> tuple[str, str]:
        return self.name, f"{self.since:%Y-%m-%d %H:%M:%S}"


OF_ALL_TIME = Span(ALL, EPOCH, DAY, 0)


@dataclass(frozen=True)
class Totals:
    """What totals of issues and of variants count by now. `assigned_since`: variants assigned from then on
    are not in the totals of issues. `held`: the spans they have.
    """

    issues_through: datetime
    variants_through: datetime
    assigned_since: datetime
    held: frozenset[str]

    @property
    def through(self) -> datetime:
        return min(self.issues_through, self.variants_through)


def totals_held(warehouse: Warehouse, project_id: int, spans: Iterable[Span]) -> Totals:
    (row,) = warehouse.rows(sql.query("totals_held"), {"project_id": project_id})
    held = {(period, utc(since)) for period, since in row["held"]}
    return Totals(
        issues_through=utc(row["issues_through"]),
        variants_through=utc(row["variants_through"]),
        assigned_since=utc(row["assigned_since"]),
        held=frozenset(span.name for span in spans if (span.name, span.since) in held),
    )


@dataclass(frozen=True)
class Condition:
    """On events, or on counts by environment and release, with the parameters it is bound to."""

    text: str = ALWAYS
    release: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Counting:
    """What a statement counts.

    by_totals: spans that totals hold
    users_of: those of them whose users are counted
    span: one more, by days or by events that fulfil the condition
    source_through: the source of that span counts what was received before it
    issue_ids: only of these issues; None: of all
    wholes: all environments together (true), single ones (false), or both
    environments: of the single ones, only these
    """

    warehouse: Warehouse
    project_id: int
    totals: Totals
    by_totals: tuple[Span, ...] = ()
    users_of: tuple[Span, ...] = ()
    span: Span | None = None
    source: Source = Source.TOTALS
    source_through: datetime = EPOCH
    condition: Condition = Condition()
    issue_ids: tuple[int, ...] | None = None
    wholes: tuple[bool, ...] = (True,)
    environments: tuple[str, ...] = ()

    def of(self, span: Span, source: Source, condition: Condition = Condition()) -> "Counting":
        """The same counting, with one more span from days or events; minutes are told by events alone."""
        if span.grain is Grain.MINUTE:
            source = Source.EVENTS
        mart = "variant_daily" if span.grain is Grain.DAY else "variant_hourly"
        mart = "repeated_events" if source is Source.EVENTS else mart
        through = progress(self.warehouse.of([self.project_id]), mart).complete_through
        return replace(self, span=span, source=source, source_through=through, condition=condition)

    def edge(self) -> Edge:
        """Events received and variants assigned since the build."""
        since = Since(
            self.parameters["arrivals_since"], self.totals.assigned_since, self.totals.variants_through
        )
        matching = self.condition.text if self.source is Source.EVENTS else ALWAYS
        looking = Looking(self.warehouse.of([self.project_id]), self.project_id, since)
        return edge_of(looking, self.source, matching, self.condition.parameters)

    def counts(self, edge: Edge) -> Statement:
        """Rows of counts, for a statement about issues. What needs no condition gets none: a condition that
        holds for every row costs as much to plan as another one."""
        has_moved = bool(edge.moved.rows)
        new_users = sql.part("issues_with_new_users")
        names = {
            "own": ALWAYS if self.issue_ids is None else OF_ISSUES,
            "own_variants": self._own_variants,
            "event_condition": self.condition.text,
            "most_buckets": str(max(1, self.span.count if self.span else 0)),
            "is_intact": IS_INTACT if has_moved else ALWAYS,
            "is_uncounted": sql.part("uncounted_since") if has_moved else SINCE_BUILD,
            "are_users_known": f"(period, since) not in {USER_SPANS} or issue_id not in ({new_users})"
            if self.users_of
            else ALWAYS,
            "are_users_united": f"issue_id in ({new_users})",
        }
        totals = ["totals_built", "totals_arrived"] if self.by_totals else []
        moved = ["totals_moved"] if totals and has_moved else []
        united = ["totals_united"] if self.users_of else []
        chosen = [*totals, *moved, *united, *([f"counts_in_{self.source}"] if self.span else [])]
        parts = (sql.part(name) for name in chosen)
        return union_all([part.at(**{name: names[name] for name in part.places}) for part in parts])

    @property
    def _own_variants(self) -> str:
        return ALWAYS if self.issue_ids is None else OF_THEIR_VARIANTS

    @cached_property
    def parameters(self) -> dict[str, Any]:
        return {
            "project_id": self.project_id,
            "spans": [span.start for span in self.by_totals],
            "user_spans": [span.start for span in self.users_of],
            "issue_ids": list(self.issue_ids or ()),
            "steps": [(*span.start, int(span.step.total_seconds()), span.count) for span in self.by_totals],
            "wholes": list(self.wholes),
            "environments": list(self.environments),
            "issues_through": self.totals.issues_through,
            "variants_through": self.totals.variants_through,
            **self._of_span,
            **self.condition.parameters,
        }

    @property
    def _of_span(self) -> dict[str, Any]:
        span, through = self.span, self.totals.through
        if span is None:
            return {"arrivals_since": through}
        return {
            "span": span.name,
            "since": span.since,
            "until": span.until,
            "by_hour": span.grain is Grain.HOUR,
            "bucket_seconds": int(span.step.total_seconds()),
            "bucket_count": span.count,
            "releases": [self.condition.release] if self.condition.release else [],
            "copies_through": self.source_through,
            "arrivals_since": min(through, self.source_through) if self.by_totals else self.source_through,
        }


@dataclass(frozen=True)
class Counted:
    """Of one issue, span and environment. `steps` are events by step of the period."""

    event_count: int = 0
    user_count: int = 0
    steps: tuple[int, ...] = ()
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    first_release: str = ""
    last_release: str = ""


NOTHING = Counted()
# All environments together; one may be without a name.
WHOLE = None
Key = tuple[int, str, str | None]
"""Issue, span, environment."""


def counts_of_issues(counting: Counting) -> dict[Key, Counted]:
    """Of the issues it names that have events in a span and environment."""
    edge = counting.edge()
    statement = sql.query("counts_of_issues").at(counts=counting.counts(edge))
    rows = counting.warehouse.rows(
        statement, counting.parameters, BOTH_CORES, edge.tables(counting.issue_ids)
    )
    return {
        (row["issue_id"], row["span"], WHOLE if row["is_whole"] else row["environment"]): Counted(
            event_count=row["event_count"],
            user_count=row["user_count"],
            steps=tuple(row["steps"]),
            first_seen=utc(row["first_seen"]),
            last_seen=utc(row["last_seen"]),
            first_release=row["first_release"],
            last_release=row["last_release"],
        )
        for row in rows
    }
