"""Moves a project from one shard to another, while it is written and read.

Rows are copied while the project goes on, and the marts of the other shard are built. Then nothing is written
of the project until what came meanwhile is copied and both shards have the same: deliveries are refused with
503, and delivered again. From the switch on the other shard is asked. What the project has left stays until
somebody confirms. It can be ended at any moment before the switch, and begun again.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errata.cluster.copying import copy, copy_late, partitions, remove
from errata.errors import ErrataError, InvalidParameter
from errata.state import Store
from errata.state.shards import KNOWN_SECONDS, LONGEST_HOLD, Place
from errata.warehouse import sql
from errata.warehouse.client import INSERT_TIMEOUT_SECONDS, Warehouse
from errata.warehouse.queries.issues.projects import totals_of_projects

Build = Callable[[int, datetime], None]
"""Builds the marts of a shard, counting rows received since a moment anew."""
MOST_PASSES = 5
RENEW_SECONDS = LONGEST_HOLD.total_seconds() / 6
# An insert is stamped at its begin.
SLACK = timedelta(seconds=2 * INSERT_TIMEOUT_SECONDS)


class NotMoved(ErrataError):
    """The project stays where it is; nothing is lost."""

    code = "project_not_moved"

    def __init__(self, slug: str, reason: str) -> None:
        super().__init__(f"{slug} stays on its shard: {reason}")


@dataclass(frozen=True)
class Move:
    """`shards`: a client with all rights for each."""

    state: Store
    shards: Mapping[int, Warehouse]
    build: Build

    def run(self, slug: str, to: int) -> Iterator[str]:
        """Says what it has done. Raises ProjectNotFound, InvalidParameter and NotMoved."""
        place = self._checked(self.state.shards.find(slug), to)
        source, target = self.shards[place.shard], self.shards[to]
        began = _first_received(source, place.id)
        for _ in range(MOST_PASSES):
            pass_began = datetime.now(UTC)
            copied = list(copy(source, target, place.id))
            yield f"copied {len(copied)} partitions"
            if not copied:
                break
            self.build(to, began - SLACK)
            yield f"built the marts of shard {to}"
            began = pass_began
            if datetime.now(UTC) - pass_began < LONGEST_HOLD:
                break
        with self._held(place) as is_held:
            yield "nothing is written of the project for a moment"
            _wait_for_inserts(source)
            copied = list(copy(source, target, place.id))
            if copied:
                self.build(to, began - SLACK)
            yield f"copied the last {len(copied)} partitions"
            if different := _difference(source, target, place.id):
                raise NotMoved(slug, different)
            if not is_held():
                raise NotMoved(slug, "the last rows took too long; try again")
            self.state.shards.move(place.id, to)
        yield f"{slug} is on shard {to}; confirm to delete what shard {place.shard} still has"

    def confirm(self, slug: str) -> Iterator[str]:
        """Deletes what the project has left on its former shard, once rows that came late are copied."""
        place = self.state.shards.find(slug)
        if place.left_shard is None or place.moved_at is None:
            raise NotMoved(slug, "it has left nothing on another shard")
        if datetime.now(UTC) - place.moved_at < SLACK:
            raise NotMoved(slug, f"a write may be on its way; confirm {SLACK.seconds} s after the move")
        left, now_on = self.shards[place.left_shard], self.shards[place.shard]
        if late := copy_late(left, now_on, place.id, place.moved_at):
            self.build(place.shard, place.moved_at)
            yield f"copied rows of {late} tables that came late"
        count = remove(left, place.id)
        self.state.shards.forget_left(place.id)
        yield f"deleted the rows of {slug} in {count} tables of shard {place.left_shard}"

    def _checked(self, place: Place, to: int) -> Place:
        if to not in self.shards:
            known = ", ".join(map(str, self.shards))
            raise InvalidParameter("shard", f"{to} is none of {known}")
        if place.shard == to:
            raise NotMoved(place.slug, f"it is on shard {to}")
        if place.left_shard is not None:
            raise NotMoved(place.slug, f"what it left on shard {place.left_shard} was not confirmed")
        return place

    @contextmanager
    def _held(self, place: Place) -> Iterator[Callable[[], bool]]:
        """Nothing is written of the project within. Yields whether that still holds."""
        self.state.shards.hold(place.id)
        held_at, ended = time.monotonic(), threading.Event()

        def renew() -> None:
            nonlocal held_at
            while not ended.wait(RENEW_SECONDS):
                self.state.shards.hold(place.id)
                held_at = time.monotonic()

        renewing = threading.Thread(target=renew, daemon=True)
        renewing.start()
        try:
            # Until every process knows.
            time.sleep(2 * KNOWN_SECONDS)
            yield lambda: time.monotonic() - held_at < LONGEST_HOLD.total_seconds() / 2
        finally:
            ended.set()
            renewing.join()
            self.state.shards.let_go(place.id)


def _first_received(warehouse: Warehouse, project_id: int) -> datetime:
    """When the first row of the project came; rows of the state of issues count, too."""
    rows = warehouse.rows(sql.build_statement("first_received_of_project"), {"project_id": project_id})
    first: datetime = rows[0]["first_received_at"]
    return first.replace(tzinfo=UTC)


def _wait_for_inserts(warehouse: Warehouse) -> None:
    """Until all inserts that run now have ended."""
    began = time.monotonic()
    while time.monotonic() - began < INSERT_TIMEOUT_SECONDS:
        (row,) = warehouse.rows(sql.build_statement("longest_insert"), {"seconds": time.monotonic() - began})
        if not row["insert_count"]:
            return
        time.sleep(0.2)


def _difference(source: Warehouse, target: Warehouse, project_id: int) -> str:
    """What the shards have different; empty: nothing."""
    ours, theirs = partitions(source, project_id), partitions(target, project_id)
    if wrong := sorted(one for one in ours.keys() | theirs.keys() if ours.get(one) != theirs.get(one)):
        return f"rows of {wrong[0][0]} differ"
    # No row policy keeps the rows of other projects from this user.
    before, after = (totals_of_projects(one, [project_id]).get(project_id) for one in (source, target))
    return "" if before == after else f"its totals differ: {before} and {after}"
