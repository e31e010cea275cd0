"""A delivery from its bytes to its answer, which is given once every accepted row is stored."""

import asyncio
import hashlib
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from weakref import WeakValueDictionary

from api.errors import ApplicationNotFound
from api.ingest import source
from api.ingest.batch import Batch, Preparing, Route, decoded, rejected_rows
from api.ingest.body import inflate, numbered_lines
from api.ingest.errors import RowsNotStored
from api.ingest.names import NameRegistry, bounds_of
from api.ingest.rate import RateLimit
from api.ingest.source import Source
from api.ingest.values import warehouse_time
from api.ingest.variants import VariantRegistry
from api.ingest.writer import Writer
from api.settings import ApiSettings
from errata.grouping.configuration import STANDARD, GroupingConfiguration, grouping
from errata.scrubbing import rules_of, without_secrets
from errata.state import Store
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.disk import Room

BATCH_ID_MAX = 200
# Then the thread that decodes turns to the next delivery, and comes back.
TURN_SECONDS = 0.05
# The second is ready when the first has ended.
AT_ONCE_A_SENDER = 2
# Each holds its lines in memory.
MOST_BEGUN = 8
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A request as it came: `body` is still encoded."""

    organization_id: int
    body: bytes
    encoding: str
    app_key: str
    batch_id: str
    source: Source


@dataclass(frozen=True, slots=True)
class Answer:
    batch_id: str
    accepted: int
    rejected: list[dict[str, Any]]


@dataclass(slots=True)
class Begun:
    """A delivery on its way to rows; `contents`: its lines by number."""

    delivery: Delivery
    contents: Mapping[int, bytes]
    routes: Mapping[str, Route]
    preparing: Preparing
    is_done: bool = False


class SenderPlaces:
    """So many of one sender's deliveries at once are prepared; its others wait behind them, not all do."""

    def __init__(self, count: int) -> None:
        self._count = count
        # One that nobody holds or waits for is gone.
        self._places: WeakValueDictionary[tuple[int, str], asyncio.Semaphore] = WeakValueDictionary()

    def of(self, sender: tuple[int, str]) -> asyncio.Semaphore:
        place = self._places.get(sender)
        if place is None:
            place = self._places[sender] = asyncio.Semaphore(self._count)
        return place


class Ingest:
    """Everything an ingest node needs; one a process."""

    def __init__(self, settings: ApiSettings, store: Store, warehouse: Warehouse, room: Room) -> None:
        self._settings = settings
        self._store = store
        self._warehouse = warehouse
        self._room = room
        self._rate = RateLimit(settings.lines_per_minute)
        self._groupings: dict[int, GroupingConfiguration] = {}
        self._registry = VariantRegistry(warehouse, self._grouping_of)
        self._names = NameRegistry(warehouse, bounds_of(settings))
        self._writer = Writer(
            warehouse, self._registry, self._names, settings.gather_ms / 1000, settings.gather_rows
        )
        # Decoding is bound to the interpreter: a second thread would only take turns with the first.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="decode")
        self._places = SenderPlaces(AT_ONCE_A_SENDER)
        self._begun_at_once = asyncio.Semaphore(MOST_BEGUN)

    async def close(self) -> None:
        await self._writer.close()
        self._thread.shutdown()

    async def accept(self, delivery: Delivery) -> Answer:
        try:
            async with self._places.of((delivery.organization_id, delivery.app_key)), self._begun_at_once:
                batch = await self._prepared(delivery)
            await self._writer.store(batch)
        except (QueryFailed, WarehouseUnavailable) as error:
            raise RowsNotStored from error
        rejected = [
            {"line": rejection.line, "reason": rejection.reason, "message": rejection.message}
            for rejection in batch.rejections
        ]
        return Answer(batch.batch_id, batch.accepted_count, rejected)

    async def _prepared(self, delivery: Delivery) -> Batch:
        """By turns: behind each of them waits what others have delivered meanwhile."""
        loop = asyncio.get_running_loop()
        begun = await loop.run_in_executor(self._thread, self._begin, delivery)
        while not begun.is_done:
            await loop.run_in_executor(self._thread, self._go_on, begun)
        return begun.preparing.batch

    def _begin(self, delivery: Delivery) -> "Begun":
        settings = self._settings
        # What cannot be stored is not decoded either.
        self._warehouse.require()
        self._room.require()
        body = inflate(delivery.body, delivery.encoding, settings.inflated_max_bytes)
        numbered = numbered_lines(body, settings.lines_max)
        self._rate.take(delivery.organization_id, len(numbered))
        lines, rejections = decoded(numbered, settings.line_max_bytes)
        routes = self._routes(delivery, {line.app_key for line in lines if line.app_key})
        batch = Batch(_batch_id(delivery), datetime.now(UTC), rejections=rejections)
        preparing = Preparing(batch, lines, routes, self._registry, self._names)
        begun = Begun(delivery, dict(numbered), routes, preparing)
        self._go_on(begun)
        return begun

    def _go_on(self, begun: "Begun") -> None:
        begun.is_done = begun.preparing.go_on(time.monotonic() + TURN_SECONDS)
        if not begun.is_done:
            return
        batch = begun.preparing.batch
        batch.rejections.sort(key=lambda rejection: rejection.line)
        homeless = sum(rejection.reason == "application_not_found" for rejection in batch.rejections)
        if homeless and homeless == len(begun.contents):
            raise ApplicationNotFound
        self._add_ledger(batch, begun.delivery, begun.routes, begun.contents)

    def _routes(self, delivery: Delivery, named: set[str]) -> Mapping[str, Route]:
        """By application key; the batch's own also under "", for the lines that name none."""
        wanted = named | ({delivery.app_key} if delivery.app_key else set())
        found = self._store.route(delivery.organization_id, wanted) if wanted else {}
        for route in found.values():
            # As it was read with the keys: no batch asks for it by itself.
            self._groupings[route.project_id] = grouping(
                route.fingerprint_version, route.rules, route.grouping
            )
        routes: dict[str, Route] = dict(found)
        if delivery.app_key:
            if delivery.app_key not in routes:
                raise ApplicationNotFound
            routes[""] = routes[delivery.app_key]
        return routes

    def _grouping_of(self, project_id: int) -> GroupingConfiguration:
        return self._groupings.get(project_id, STANDARD)

    def _add_ledger(
        self, batch: Batch, delivery: Delivery, routes: Mapping[str, Route], contents: Mapping[int, bytes]
    ) -> None:
        own = routes.get("") or next(iter(routes.values()), None)
        project_id = own.project_id if own is not None else 0
        outcomes = batch.outcomes.copy()
        for rejection in batch.rejections:
            outcomes[project_id, "line", rejection.reason] += 1
        if outcomes:
            batch.rows["errata_raw.outcomes"] = [
                {
                    "project_id": project,
                    "item_type": item_type,
                    "outcome": outcome,
                    "batch_id": batch.batch_id,
                    "item_count": count,
                }
                for (project, item_type, outcome), count in outcomes.items()
            ]
        if batch.rejections:
            batch.rows["errata_raw.rejected_items"] = rejected_rows(
                batch, project_id, rules_of(own.scrubbing if own is not None else ""), contents
            )
        if contents or delivery.source.is_told:
            # The bytes are those of one file, whichever projects its lines name.
            own_project_id = routes[""].project_id if "" in routes else 0
            batch.rows["errata_raw.deliveries"] = [_ledger_row(batch, own_project_id, delivery.source)]


def _batch_id(delivery: Delivery) -> str:
    """The client's own; of a client that gives none, a hash of what it sent."""
    if delivery.batch_id:
        return without_secrets(delivery.batch_id[:BATCH_ID_MAX])
    content = hashlib.blake2b(f"{delivery.organization_id}\0{delivery.app_key}\0".encode(), digest_size=16)
    content.update(delivery.body)
    return content.hexdigest()


def _ledger_row(batch: Batch, project_id: int, where: Source) -> dict[str, Any]:
    return {
        "project_id": project_id,
        "host": where.host,
        "file": where.file,
        "file_id": where.file_id,
        "byte_from": where.byte_from,
        "byte_to": where.byte_to,
        "file_bytes": where.file_bytes,
        "batch_id": batch.batch_id,
        "accepted_count": batch.accepted_count,
        "rejected_count": len(batch.rejections),
        "set_aside_count": where.set_aside_count,
        "file_end": where.file_end,
        "newest_logged_at": warehouse_time(max(batch.newest_logged_at or EPOCH, EPOCH)),
    }


def delivery_of(organization_id: int, body: bytes, headers: Mapping[str, str]) -> Delivery:
    return Delivery(
        organization_id,
        body,
        headers.get("content-encoding", ""),
        headers.get("x-errata-app-key", ""),
        headers.get("x-errata-batch-id", "").strip(),
        source.parse(headers.get("x-errata-source", "")),
    )
