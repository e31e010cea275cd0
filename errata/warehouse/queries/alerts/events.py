"""The events that match a rule, and the variants with any."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from errata.errors import InvalidParameter
from errata.search import parse
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.expressions import Condition, Expression, Number
from errata.warehouse.queries.alerts.budget import Budget
from errata.warehouse.queries.compiled_search import CompiledSearch, QueryContext
from errata.warehouse.queries.known_releases import known_releases
from errata.warehouse.typed_rows import typed

ARRIVALS = "alert_arrivals"

# The warehouse refuses a parameter of more than 128 KiB.
LONGEST_LIST = 2_000


@dataclass(frozen=True)
class Member:
    """A variant and the issue it belongs to."""

    variant_hash: int
    issue_id: int
    first_seen_at: datetime


@dataclass(frozen=True)
class Arrivals:
    """Receipts of one variant's events, copies included."""

    first_at: datetime
    event_count: int


@dataclass(frozen=True)
class Sighting:
    """A possible subject of an alert; `issue_id` 0: all issues together."""

    issue_id: int
    at: datetime
    value: int
    episode: str


@dataclass(frozen=True)
class Events:
    """The events of a project that pass a rule's filter."""

    warehouse: Warehouse
    project_id: int
    condition: Condition
    budget: Budget | None = None

    @classmethod
    def of(
        cls, warehouse: Warehouse, project_id: int, query: str, now: datetime, budget: Budget | None = None
    ) -> "Events":
        """The events that a rule's filter selects. Raises SearchError, and InvalidParameter for a term about
        an issue's state or history."""
        context = QueryContext(now, "", lambda: known_releases(warehouse, project_id))
        return cls(warehouse, project_id, _compiled(CompiledSearch.of(parse(query), context)), budget)

    def rows(self, question: str, **parameters: Any) -> list[Row]:
        """Raises LimitReached."""
        statement = sql.query(question).at(event_condition=self.condition)
        settings = {"max_execution_time": self.budget.left_seconds()} if self.budget else {}
        return self.warehouse.rows(statement, {"project_id": self.project_id, **parameters}, settings)

    def count(self, since: datetime, until: datetime) -> int:
        """The count of events, copies included."""
        return int(self.rows("alert_event_count", since=since, until=until)[0]["event_count"])

    def arrivals(
        self, since: datetime, until: datetime, variants: Collection[int] | None = None
    ) -> dict[int, Arrivals]:
        """Receipts by variant, for these variants or for all."""
        rows = [
            row
            for listed in _lists(variants)
            for row in self.rows(
                ARRIVALS,
                since=since,
                until=until,
                is_whole=variants is None,
                variant_hashes=listed,
            )
        ]
        return {row["variant_hash"]: typed(Arrivals, row) for row in rows}

    def members(self, variants: Collection[int]) -> list[Member]:
        """All members of the issues that these variants belong to."""
        if len(variants) <= LONGEST_LIST and "every_member" not in self.__dict__:
            return self._members(sorted(variants), is_whole=False)
        issues = {member.issue_id for member in self.every_member if member.variant_hash in variants}
        return [member for member in self.every_member if member.issue_id in issues]

    @cached_property
    def every_member(self) -> Sequence[Member]:
        return self._members([], is_whole=True)

    def _members(self, variants: list[int], *, is_whole: bool) -> list[Member]:
        rows = self.rows("alert_members", is_whole=is_whole, variant_hashes=variants)
        return [typed(Member, row) for row in rows]


def check_query(query: str) -> None:
    """Raises the errors of Events.of, for a query that is only saved."""
    _compiled(CompiledSearch.of(parse(query), QueryContext(datetime.now(UTC))))


def _compiled(compiled: CompiledSearch) -> Condition:
    if not compiled.tells_by_event:
        raise InvalidParameter(
            "query",
            (
                "alerts filter individual events; is:, assigned:, priority:, first_release:, events:, "
                "users:, first_seen:, last_seen: and age: apply to the state or history of issues"
            ),
        )
    if compiled.is_of_events_alone:
        return compiled.event_condition
    of_issues = sql.part("variants_of_issues_found").at(issue_condition=compiled.issue_condition)
    found = Number.column("variant_hash").among(of_issues.expression(Expression))
    return compiled.event_condition & found


def _lists(values: Collection[int] | None) -> Iterator[list[int]]:
    """Slices of the variants for one question each; for None, a single question without any."""
    if values is None:
        yield []
    else:
        yield from lists(values)


def lists(values: Collection[int]) -> Iterator[list[int]]:
    ordered = sorted(values)
    for start in range(0, len(ordered), LONGEST_LIST):
        yield ordered[start : start + LONGEST_LIST]
