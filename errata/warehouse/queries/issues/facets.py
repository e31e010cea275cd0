"""What a search can be narrowed by further, and what can be typed: of the latest events, to be quick."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from errata.clock import utc
from errata.period import TimeRange
from errata.search import Search
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.expressions import ALWAYS, Text
from errata.warehouse.queries.compiled_search import EVENT_COLUMNS, TAGS, CompiledSearch, QueryContext
from errata.warehouse.queries.deletions import kept_events

EVENTS_COUNTED = 100_000
VALUES_A_FACET = 8
MOST_TAGS = 20
MOST_SUGGESTIONS = 12


@dataclass(frozen=True, slots=True)
class Facet:
    """`event_count` of the events looked at have it; `values` are the most frequent, with counts."""

    name: str
    is_tag: bool
    event_count: int
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SearchFacets:
    """Of the matching events since `since`, as of `as_of`; `is_all`: those are all of the period."""

    facets: Sequence[Facet]
    as_of: datetime
    since: datetime
    is_all: bool
    event_count: int


@dataclass(frozen=True, slots=True)
class Latest:
    since: datetime
    is_all: bool
    event_count: int


@dataclass(frozen=True)
class Question:
    """Equal are those that have one answer."""

    project_id: int
    text: str
    me: str
    period_text: str
    as_of: datetime
    search: Search = field(compare=False)
    period: TimeRange = field(compare=False)
    context: QueryContext = field(compare=False)


def search_facets(
    warehouse: Warehouse, project_id: int, search: Search, period: TimeRange, context: QueryContext
) -> SearchFacets:
    """As of the last full minute or later: a hundred thousand events are read for it. Nothing is asked again
    at once, as a first event counts.

    Terms about issues are left aside: facets count events.
    """
    minute = context.now.replace(second=0, microsecond=0)
    question = Question(project_id, str(search), context.me, period.text, minute, search, period, context)
    found = warehouse.cached((_answer, question), lambda: _answer(warehouse, question))
    return found if found.facets else _answer(warehouse, question)


def _answer(warehouse: Warehouse, question: Question) -> SearchFacets:
    project_id, search, period = question.project_id, question.search, question.period
    context = question.context
    latest = latest_events(warehouse, project_id, search, period, context)
    compiled = CompiledSearch.of(search, context)
    is_kept = kept_events(warehouse, [project_id])
    rows = warehouse.rows(
        sql.query("facets_of_search").at(event_condition=compiled.event_condition & is_kept),
        {
            "project_id": project_id,
            "since": latest.since,
            "until": period.in_hours.until,
            "value_limit": VALUES_A_FACET,
            "tag_limit": MOST_TAGS,
        },
    )
    facets = [
        Facet(row["facet"], bool(row["is_tag"]), row["event_count"], tuple(map(tuple, row["top_values"])))
        for row in rows
    ]
    return SearchFacets(facets, context.now, latest.since, latest.is_all, latest.event_count)


def latest_events(
    warehouse: Warehouse,
    project_id: int,
    search: Search,
    period: TimeRange,
    context: QueryContext,
    most: int = EVENTS_COUNTED,
) -> Latest:
    compiled = CompiledSearch.of(search, context)
    reads_events, on_event = compiled.reads_events, compiled.event_condition
    statement = sql.query("latest_events_begin").at(
        event_condition=on_event & kept_events(warehouse, [project_id]) if reads_events else ALWAYS,
        count_condition=ALWAYS if reads_events else on_event,
    )
    (row,) = warehouse.rows(
        statement,
        {
            "reads_events": reads_events,
            "project_id": project_id,
            "since": period.in_hours.since,
            "until": period.in_hours.until,
            "by_hour": period.in_hours.by_hour,
            "most": most,
        },
    )
    return Latest(utc(row["begins_at"]), bool(row["is_all"]), row["event_count"])


def values_of_key(
    warehouse: Warehouse, project_id: int, key: str, typed: str, since: datetime
) -> list[tuple[str, int]]:
    """Of a field of events, else of the tag of this name; with their counts, most frequent first."""
    value = Text.column(EVENT_COLUMNS[key]) if key in EVENT_COLUMNS else TAGS[key]
    statement = sql.query("values_of_key").at(value=value)
    rows = warehouse.rows(
        statement,
        {
            "project_id": project_id,
            "since": since.astimezone(UTC),
            "typed": typed.lower(),
            "limit": MOST_SUGGESTIONS,
        },
    )
    return [(row["value"], row["event_count"]) for row in rows]


def tags_of_project(
    warehouse: Warehouse, project_id: int, typed: str, since: datetime
) -> list[tuple[str, int]]:
    rows = warehouse.rows(
        sql.query("tags_of_project"),
        {"project_id": project_id, "since": since, "typed": typed.lower(), "limit": MOST_SUGGESTIONS},
    )
    return [(row["name"], row["event_count"]) for row in rows]
