"""Micro-batches: rows of concurrent requests go to the warehouse in one insert a table."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from api.ingest.batch import Batch
from api.ingest.body import InvalidBatch
from api.ingest.errors import RowsNotStored
from api.ingest.item import Rows
from api.ingest.names import NameRegistry, SeenName, rows_of_seen
from api.ingest.row_inserts import store
from api.ingest.variants import Sighting, VariantRegistry
from api.metrics.instruments import DELIVERIES_STORING, INSERT_SECONDS
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.insert_order import FIRST, LAST
from errata.warehouse.shards import Shards

log = logging.getLogger("errata.ingest")

# The engine's codes for unreadable rows: the rows are at fault, and a retry would fail for ever.
UNREADABLE_ROWS = frozenset({6, 26, 27, 33, 38, 41, 53, 69, 72, 117, 131, 190, 321, 376, 441, 467})
INSERTS_AT_ONCE = 2
# While other deliveries are prepared: an insert takes as long as preparing a hundred events, however few rows
# it has, and what it writes is merged again and again.
MOST_WAITS = 4
# The limit of rows in memory while the warehouse accepts none.
MOST_WAITING_ROWS = 100_000


@dataclass
class Group:
    """Requests stored together."""

    batches: list[Batch] = field(default_factory=list)
    waiting: list[asyncio.Future[None]] = field(default_factory=list)
    row_count: int = 0
    wait_count: int = 0


class Writer:
    """Gathers one group while the previous one is being stored: the busier, the larger the inserts."""

    def __init__(
        self,
        warehouse: Warehouse,
        registry: VariantRegistry,
        names: NameRegistry,
        gather_seconds: float,
        gather_rows: int,
        is_more_coming: Callable[[], bool],
    ) -> None:
        self._warehouse = warehouse
        self._registry = registry
        self._names = names
        self._gather_seconds = gather_seconds
        self._gather_rows = gather_rows
        self._is_more_coming = is_more_coming
        self._gathering = Group()
        self._waiting_rows = 0
        self._flushed_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._threads = ThreadPoolExecutor(INSERTS_AT_ONCE, thread_name_prefix="insert")
        self._flushes: set[asyncio.Task[None]] = set()

    async def store(self, batch: Batch) -> None:
        """Returns when every row of the batch is stored. Raises the reason if it was not."""
        if self._waiting_rows >= MOST_WAITING_ROWS:
            raise RowsNotStored
        self._waiting_rows += batch.row_count
        try:
            with DELIVERIES_STORING.track_inprogress():
                await self._gathered(batch)
        finally:
            self._waiting_rows -= batch.row_count

    async def _gathered(self, batch: Batch) -> None:
        loop = asyncio.get_running_loop()
        stored: asyncio.Future[None] = loop.create_future()
        group = self._gathering
        group.batches.append(batch)
        group.waiting.append(stored)
        group.row_count += batch.row_count
        is_full = group.row_count >= self._gather_rows and len(self._flushes) < INSERTS_AT_ONCE
        # Nobody would come to share the insert; of many small deliveries one a wait makes an insert.
        is_rested = loop.time() - self._flushed_at >= self._gather_seconds
        if is_full or (is_rested and not (self._flushes or self._is_more_coming())):
            self._flush()
        elif self._timer is None:
            self._start_timer()
        await stored

    async def close(self) -> None:
        self._flush()
        while self._flushes:
            await asyncio.gather(*self._flushes)
        self._threads.shutdown()

    def _flush_when_idle(self) -> None:
        self._timer = None
        if self._flushes:
            return
        self._gathering.wait_count += 1
        if self._is_more_coming() and self._gathering.wait_count < MOST_WAITS:
            self._start_timer()
        else:
            self._flush()

    def _start_timer(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._gather_seconds, self._flush_when_idle)

    def _after_flush(self, task: asyncio.Task[None]) -> None:
        self._flushes.discard(task)
        if self._gathering.row_count >= self._gather_rows:
            self._flush()
        elif self._gathering.batches and self._timer is None:
            self._flush_when_idle()

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        group, self._gathering = self._gathering, Group()
        if group.batches:
            self._flushed_at = asyncio.get_running_loop().time()
            task = asyncio.get_running_loop().create_task(self._store_group(group))
            self._flushes.add(task)
            task.add_done_callback(self._after_flush)

    async def _store_group(self, group: Group) -> None:
        loop = asyncio.get_running_loop()
        outcomes = await loop.run_in_executor(self._threads, self._insert_all, group.batches)
        for waiting, error in zip(group.waiting, outcomes, strict=True):
            if waiting.cancelled():
                continue
            if error is None:
                waiting.set_result(None)
            else:
                waiting.set_exception(error)

    def _insert_all(self, batches: Sequence[Batch]) -> list[Exception | None]:
        """The outcome of each batch; one with unreadable rows, or of a shard that is away, does not cost its
        neighbors."""
        try:
            self._insert(batches)
        except QueryFailed as error:
            if error.clickhouse_code not in UNREADABLE_ROWS:
                return [error] * len(batches)
            if len(batches) > 1:
                return [outcome for batch in batches for outcome in self._insert_all([batch])]
            log.error("a batch has rows that the warehouse can't read: %s", error)
            return [InvalidBatch("The batch contains a line that can't be stored")]
        except (WarehouseUnavailable, OSError) as error:
            # Only a shard may be away, or a project just be moved.
            if len(batches) > 1 and isinstance(self._warehouse, Shards):
                return [outcome for batch in batches for outcome in self._insert_all([batch])]
            return [error] * len(batches)
        except Exception as error:
            # Every waiting caller gets a response, whatever failed.
            log.exception("rows could not be inserted")
            return [error] * len(batches)
        return [None] * len(batches)

    def _insert(self, batches: Sequence[Batch]) -> None:
        rows: Rows = {}
        sightings: dict[tuple[int, int], Sighting] = {}
        seen_names: set[SeenName] = set()
        for batch in batches:
            for table, more in batch.rows.items():
                rows.setdefault(table, []).extend(more)
            sightings.update({**batch.sightings, **sightings})
            seen_names |= batch.seen_names
        new_rows, new_keys = self._registry.rows_of_new(sightings.values())
        rows = {**new_rows, **rows_of_seen(seen_names), **rows}
        middle = sorted(rows.keys() - {*FIRST, *LAST})
        self._insert_each(rows, FIRST)
        self._registry.assign(new_keys)
        self._insert_each(rows, (*middle, *LAST))
        self._registry.remember(new_keys)
        self._names.remember(seen_names)

    def _insert_each(self, rows: Rows, tables: Sequence[str]) -> None:
        for table in tables:
            if table in rows:
                with INSERT_SECONDS.time():
                    store(self._warehouse, table, rows[table])
