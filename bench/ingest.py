"""What an event costs: CPU of every service process, against the warehouse alone fed with ready rows."""

import gzip
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import Any

import urllib3
from backports import zstd

from api.ingest.batch import Batch, prepare
from api.ingest.country import Countries
from api.ingest.erased import ErasedItems
from api.ingest.item import Line, decode
from api.ingest.names import NameRegistry, bounds_of
from api.ingest.payload_limits import PayloadLimits
from api.ingest.variants import VariantRegistry
from api.settings import ApiSettings
from bench.events import batches, repeated
from bench.figures import figure
from bench.memory import PeakMemory
from errata.state.app_keys import ProjectRoute
from errata.warehouse.roles import Role
from tests.service import Service, running

EVENTS = 10_000
BATCH = 100
ROWS_AN_INSERT = 1_000
SENDERS = 4
VARIANTS = 20_000


def main() -> None:
    with running("--no-pipelines") as service:
        _send(service, [zstd.compress(body) for body in batches(repeated(1_000, seed=9), BATCH)], "zstd")
        _memory("memory_idle_pss", service.pss_bytes())
        costs = {
            "gzip": _cost(service, lambda body: gzip.compress(body, 6), "gzip", seed=2),
            "zstd": _cost(service, lambda body: zstd.compress(body, 3), "zstd", seed=3),
        }
        limit = _warehouse_alone(service)
        for encoding, cost in costs.items():
            figure(f"ingest_cpu_{encoding}_over_warehouse_alone", cost / limit, "ratio")
        # Apart from the measured sends: sampling costs the machine something too.
        with PeakMemory(service) as memory:
            bodies = [zstd.compress(body, 3) for body in batches(repeated(EVENTS, seed=6), BATCH)]
            _send(service, bodies, "zstd")
        _memory("memory_peak_while_ingesting_pss", memory.peak_bytes)
        _stored_bytes(service, "stored_bytes_per_event")
    with running("--no-pipelines") as service:
        _many_variants(service)


def _cost(service: Service, compress: Callable[[bytes], bytes], encoding: str, seed: int) -> float:
    bodies = [compress(body) for body in batches(repeated(EVENTS, seed), BATCH)]
    before, began = service.cpu_seconds(), time.monotonic()
    _send(service, bodies, encoding)
    seconds, after = time.monotonic() - began, service.cpu_seconds()
    parts = {name: (after[name] - before[name]) * 1000 / EVENTS for name in before}
    figure(
        f"ingest_cpu_{encoding}",
        sum(parts.values()),
        "ms per event",
        parts={name: round(cost, 4) for name, cost in parts.items()},
        events_per_second=round(EVENTS / seconds),
        senders=SENDERS,
        batch=BATCH,
    )
    return sum(parts.values())


def _send(service: Service, bodies: Sequence[bytes], encoding: str) -> None:
    queue: SimpleQueue[bytes] = SimpleQueue()
    for body in bodies:
        queue.put(body)
    senders = [threading.Thread(target=_sender, args=(service, queue, encoding)) for _ in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()


def _sender(service: Service, queue: "SimpleQueue[bytes]", encoding: str) -> None:
    pool = urllib3.PoolManager()
    headers = {
        "Authorization": f"Bearer {service.credentials['api_key']}",
        "X-Errata-App-Key": service.credentials["app_key"],
        "Content-Encoding": encoding,
    }
    while True:
        try:
            body = queue.get_nowait()
        except Empty:
            return
        answer = pool.request(
            "POST", f"{service.credentials['base_url']}/api/ingest", body=body, headers=headers
        )
        if answer.status != 200 or answer.json()["rejected"]:
            raise RuntimeError(f"{answer.status}: {answer.data[:500]!r}")


def _warehouse_alone(service: Service) -> float:
    """CPU-ms an event of the warehouse fed with ready rows: no service can be cheaper."""
    ingest = service.warehouse(Role.INGEST)
    inserts = list(_ready_rows(VariantRegistry(ingest), NameRegistry(ingest, bounds_of(ApiSettings()))))
    before = service.cpu_seconds()["warehouse"]
    for rows in inserts:
        ingest.insert_rows("errata_raw.error_events", rows)
    cost = (service.cpu_seconds()["warehouse"] - before) * 1000 / EVENTS
    ingest.close()
    figure("warehouse_alone_cpu", cost, "ms per event", rows_an_insert=ROWS_AN_INSERT)
    return cost


def _ready_rows(registry: VariantRegistry, names: NameRegistry) -> Iterator[list[dict[str, Any]]]:
    for body in batches(repeated(EVENTS, seed=4), ROWS_AN_INSERT):
        yield _rows_of(body, registry, names)


def _rows_of(body: bytes, registry: VariantRegistry, names: NameRegistry) -> list[dict[str, Any]]:
    batch = Batch("bench", datetime.now(UTC))
    items = [decode(number, line) for number, line in enumerate(body.split(b"\n")[:-1], 1)]
    lines = [item for item in items if isinstance(item, Line)]
    erased = ErasedItems(registry.warehouse, registry.forget)
    deque(
        prepare(
            batch,
            lines,
            {"": ProjectRoute(1, "bench", "")},
            registry,
            names,
            erased,
            Countries(),
            PayloadLimits(),
        ),
        maxlen=0,
    )
    return batch.rows["errata_raw.error_events"]


def _stored_bytes(service: Service, name: str, **facts: object) -> None:
    admin = service.warehouse(Role.ADMIN)
    admin.execute("optimize table errata_raw.error_events final")
    (row,) = admin.rows(
        "select sum(bytes_on_disk) as byte_count, sum(rows) as row_count from system.parts "
        "where active and database = 'errata_raw' and table = 'error_events'"
    )
    admin.close()
    figure(name, row["byte_count"] / row["row_count"], "bytes", events=row["row_count"], **facts)


def _many_variants(service: Service) -> None:
    """Rows put in directly: the API limits new variants."""
    ingest = service.warehouse(Role.INGEST)
    registry, names = VariantRegistry(ingest), NameRegistry(ingest, bounds_of(ApiSettings()))
    distinct: set[int] = set()
    for body in batches(repeated(2 * VARIANTS, seed=5, distinct_variants=VARIANTS), ROWS_AN_INSERT):
        rows = _rows_of(body, registry, names)
        distinct.update(row["variant_hash"] for row in rows)
        ingest.insert_rows("errata_raw.error_events", rows)
    ingest.close()
    _stored_bytes(service, "stored_bytes_per_event_many_variants", distinct_variants=len(distinct))


def _memory(name: str, parts: dict[str, int]) -> None:
    megabytes = {part: round(size / 1e6) for part, size in parts.items()}
    figure(name, sum(parts.values()) / 1e6, "MB", parts=megabytes)


if __name__ == "__main__":
    main()
