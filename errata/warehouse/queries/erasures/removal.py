"""Deletes erased rows from the files of raw tables. Each step can be repeated after a kill."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures.log import Erasure

ITEM_TABLES = (
    "errata_raw.error_events",
    "errata_raw.page_views",
    "errata_raw.page_resources",
    "errata_raw.requests",
    "errata_raw.spans",
    "errata_raw.sessions",
    "errata_raw.replay_segments",
    "errata_raw.logs",
    "errata_raw.feedback",
    "errata_raw.attachments",
)
# By table the condition on rows of a project that was erased and not deleted: what came later stays.
PROJECT_TABLES: Mapping[str, str] = {
    **dict.fromkeys(
        ITEM_TABLES,
        "(received_at <= {asked_at:DateTime64(3, 'UTC')} or occurred_at <= {asked_at:DateTime64(3, 'UTC')})",
    ),
    "errata_raw.check_ins": "received_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.rejected_items": "received_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.outcomes": "received_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.deliveries": "received_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.names_seen": "received_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.issue_actions": "acted_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.issue_states": "acted_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.variants": "recorded_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.variant_sources": "looked_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.variant_issues": "recorded_at <= {asked_at:DateTime64(3, 'UTC')}",
    "errata_raw.variant_assignments": "first_seen_at <= {asked_at:DateTime64(3, 'UTC')}",
}
# Rules of grouping and uploads of builds, which are nobody's data, and the name: they go with the project.
DELETED_PROJECT_TABLES = (
    *PROJECT_TABLES,
    "errata_raw.grouping_switches",
    "errata_raw.grouping_drafts",
    "errata_raw.source_bundles",
    "errata_raw.source_maps",
    "errata_raw.source_contents",
    "errata_raw.upload_chunks",
    "errata_raw.release_commits",
    "errata_raw.deploys",
    "errata_raw.projects",
)
# Ids of one statement: its set of them takes about 50 bytes each.
MOST_ITEMS = 2_000_000
WAITS_SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
COUNTING = {"max_execution_time": 3_600, "max_threads": 1}


class Interrupted(Exception):
    """The node stops, or another one has taken over: the next run goes on."""


@dataclass(frozen=True)
class Deletion:
    """Deletes rows, and waits until a recount finds none. The engine finishes a deletion that was begun even
    if it is killed meanwhile."""

    warehouse: Warehouse
    delete: str
    count: str
    parameters: Mapping[str, Any]

    def run(self, goes_on: Callable[[], bool]) -> int:
        """How many rows there were."""
        first = self.left(COUNTING)
        if first:
            self.warehouse.execute(self.delete, self.parameters)
        left, waits = first, iter(WAITS_SECONDS)
        while left:
            if not goes_on():
                raise Interrupted
            time.sleep(next(waits, WAITS_SECONDS[-1]))
            left = self.left(COUNTING)
        return first

    def left(self, settings: Mapping[str, Any] | None = None) -> int:
        (row,) = self.warehouse.rows(self.count, self.parameters, settings)
        return int(row["row_count"])


def collect_later_copies(warehouse: Warehouse, erasure: Erasure, since: datetime) -> None:
    """Records copies stored while the ids were being recorded: an ingest node that did not know them yet."""
    for table in ITEM_TABLES:
        named = sql.query("collect_later_copies").at(table=table)
        warehouse.execute(named, {**_of(erasure), "since": since}, COUNTING)


def remove_items(warehouse: Warehouse, erasure: Erasure, goes_on: Callable[[], bool]) -> dict[str, int]:
    """Deletes all rows of the recorded items; returns their counts by table."""
    days = warehouse.rows(sql.query("erased_days"), _of(erasure))
    counts: dict[str, int] = {}
    for row in days:
        counts[row["source"]] = counts.get(row["source"], 0) + row["row_count"]
    for table in (table for table in ITEM_TABLES if table in counts):
        removed = 0
        of_table = [(row["received_on"], row["item_count"]) for row in days if row["source"] == table]
        for since, until in spans(of_table):
            is_erased = sql.part("is_erased").at(table=table)
            asked = {**_of(erasure), "since": since, "until": until}
            removed += _of_condition(warehouse, table, is_erased, asked).run(goes_on)
        # Copies of the same day are recorded once; a killed run has removed some before.
        counts[table] = max(counts[table], removed)
    return counts


def spans(days: Sequence[tuple[date, int]], most: int = MOST_ITEMS) -> Iterator[tuple[date, date]]:
    """Days with their counts of items, in spans of few enough items; at least one day each."""
    first, last, total = None, None, 0
    for day, count in sorted(days):
        if first is not None and last is not None and total + count > most:
            yield first, last
            first, total = None, 0
        first, last, total = first or day, day, total + count
    if first is not None and last is not None:
        yield first, last


def remove_project(warehouse: Warehouse, erasure: Erasure, goes_on: Callable[[], bool]) -> dict[str, int]:
    """Deletes all rows of a project; returns their counts by table, of those this run found."""
    tables = DELETED_PROJECT_TABLES if erasure.is_deleted else tuple(PROJECT_TABLES)
    counts = {}
    for table in tables:
        counts[table] = _of_project(
            warehouse, erasure.project_id, erasure.asked_at, table, is_deleted=erasure.is_deleted
        ).run(goes_on)
    return {table: count for table, count in counts.items() if count}


def count_project(read: Warehouse, project_id: int, until: datetime) -> dict[str, int]:
    """The rows of a project received until then, by table."""
    return {
        table: _of_project(read, project_id, until, table, is_deleted=False).left()
        for table in PROJECT_TABLES
    }


def _of_project(
    warehouse: Warehouse, project_id: int, asked_at: datetime, table: str, *, is_deleted: bool
) -> Deletion:
    condition = "true" if is_deleted else PROJECT_TABLES[table]
    return _of_condition(warehouse, table, condition, {"project_id": project_id, "asked_at": asked_at})


def _of_condition(
    warehouse: Warehouse, table: str, condition: str, parameters: Mapping[str, Any]
) -> Deletion:
    delete, count = (
        sql.query(name).at(table=table, condition=condition) for name in ("remove_rows", "rows_left")
    )
    return Deletion(warehouse, delete, count, parameters)


def remove_chosen(
    warehouse: Warehouse,
    project_id: int,
    table: str,
    column: str,
    chosen: Sequence[Any],
    goes_on: Callable[[], bool],
    *,
    type_: str = "UInt64",
    condition: str = "true",
) -> int:
    """Deletes the rows of a project with one of these ids; returns how many there were."""
    if not chosen:
        return 0
    is_chosen = f"has({{chosen:Array({type_})}}, {column}) and {condition}"
    asked = {"project_id": project_id, "chosen": list(chosen)}
    return _of_condition(warehouse, table, is_chosen, asked).run(goes_on)


def _of(erasure: Erasure) -> dict[str, Any]:
    return {"project_id": erasure.project_id, "erasure_id": erasure.erasure_id}
