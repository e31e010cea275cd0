"""Items that were erased are not stored again, whoever delivers them."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from errata.clock import EPOCH, utc
from errata.warehouse.client import Row, Warehouse, WarehouseUnavailable
from errata.warehouse.sql import query

# The outcome of an item that was erased.
ERASED = "erased"
# Rows are removed only after every node has noticed the erasure, and what it was storing is stored.
LOOK_EVERY_SECONDS = 4.0
MOST_NAMED = 20_000


@dataclass(frozen=True, slots=True)
class OfProject:
    """`before`: lines logged until then are refused; 1970: none. `newest`: its latest step."""

    before: datetime
    has_items: bool
    newest: datetime


@dataclass
class ErasedItems:
    """Which projects have erasures, looked up every few seconds; only their deliveries cost a question.
    Thread-safe. `forget` is called for a project whose erasures went on."""

    warehouse: Warehouse
    forget: Callable[[int], None]
    _projects: dict[int, OfProject] = field(default_factory=dict)
    _looked_at: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self) -> None:
        with self._lock:
            if time.monotonic() - self._looked_at < LOOK_EVERY_SECONDS:
                return
            began = time.monotonic()
            rows, are_all = self._in_force()
            # What is known of a shard that is away stays, and it is asked again before anything is stored.
            found = {} if are_all else dict(self._projects)
            found |= {
                row["project_id"]: OfProject(utc(row["erased_before"]), row["has_items"], utc(row["newest"]))
                for row in rows
            }
            for project_id, now in found.items():
                if self._projects.get(project_id) != now:
                    self.forget(project_id)
            self._projects = found
            if are_all:
                self._looked_at = began

    def _in_force(self) -> tuple[list[Row], bool]:
        """Of the shards that respond, and whether those are all: one that is away stops no other project."""
        shards = self.warehouse.shards()
        rows, are_all = list[Row](), True
        for shard in shards:
            try:
                rows += shard.rows(query("erasures_in_force"))
            except WarehouseUnavailable:
                if len(shards) == 1:
                    raise
                are_all = False
        return rows, are_all

    def before(self, project_id: int) -> datetime:
        """Lines of the project that were logged until then are refused."""
        known = self._projects.get(project_id)
        return known.before if known is not None else EPOCH

    def among(self, items: Iterable[tuple[int, Iterable[str]]]) -> set[tuple[int, str]]:
        """The erased ones of a batch's items, given by project, as project and item id."""
        asked = sorted(
            {
                (project_id, item_id)
                for project_id, item_ids in items
                if (known := self._projects.get(project_id)) is not None and known.has_items
                for item_id in item_ids
            }
        )
        erased: set[tuple[int, str]] = set()
        for first in range(0, len(asked), MOST_NAMED):
            some = asked[first : first + MOST_NAMED]
            rows = self.warehouse.rows(
                query("erased_among"),
                {
                    "projects": sorted({project_id for project_id, _ in some}),
                    "item_ids": [item_id for _, item_id in some],
                },
            )
            found = {(row["project_id"], row["item_id"].hex) for row in rows}
            erased |= {one for one in some if (one[0], one[1].replace("-", "")) in found}
        return erased
