"""What an event costs: CPU of every service process, against the warehouse alone fed with ready rows.

`python -m bench.ingest` also says how long batches take to be accepted, at full and at half load.
`--flat 1000000` says how memory stays while a million arrive and lists are asked for; `--workers 2` measures
two web processes.
"""

import argparse
import gzip
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import Any

import urllib3
from backports import zstd

from api.ingest.batch import Batch, prepare
from api.ingest.country import Countries
from api.ingest.erased import ErasedItems
from api.ingest.item import Line, decode
from api.ingest.monitors import MonitorRegistry
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
SENDERS = 8
VARIANTS = 20_000
# Made ahead, so that making bodies does not slow the senders down.
EVENTS_A_ROUND = 20_000
LIST_EVERY_SECONDS = 2.0
# Of what the service takes at most: how a shipper's deliveries come on an ordinary day.
HALF = 0.5
COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, 6),
    "zstd": lambda body: zstd.compress(body, 3),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.ingest")
    parser.add_argument("--events", type=int, default=EVENTS, help="of each measurement")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--senders", type=int, default=SENDERS)
    parser.add_argument("--workers", type=int, default=1, help="web processes")
    parser.add_argument("--flat", type=int, metavar="EVENTS", help="only: memory while so many arrive")
    chosen = parser.parse_args()
    load = Load(chosen.batch, chosen.senders)
    options = "--no-pipelines", "--workers", str(chosen.workers)
    with running(*options) as service:
        _send(service, load, 2_000, "zstd", seed=9)
        _memory("memory_idle_pss", service.pss_bytes())
        if chosen.flat:
            _flat(service, load, chosen.flat)
            return
        costs = {
            encoding: _cost(service, load, chosen.events, encoding, seed=number)
            for number, encoding in enumerate(COMPRESSED, 2)
        }
        limit = _warehouse_alone(service)
        for encoding, cost in costs.items():
            figure(f"ingest_cpu_{encoding}_over_warehouse_alone", cost / limit, "ratio")
        # Apart from the measured sends: sampling costs the machine something too.
        with PeakMemory(service) as memory:
            _send(service, load, chosen.events, "zstd", seed=6)
        _memory("memory_peak_while_ingesting_pss", memory.peak_bytes)
        _stored_bytes(service, "stored_bytes_per_event")
    with running("--no-pipelines") as service:
        _many_variants(service)


@dataclass(frozen=True)
class Load:
    """Events a batch, and how many send at once."""

    batch: int
    senders: int


@dataclass(frozen=True)
class Sent:
    """How long each batch took to be accepted, and all of them."""

    batch_seconds: Sequence[float]
    seconds: float

    def quantiles_ms(self) -> dict[str, int]:
        ordered = sorted(self.batch_seconds)
        places = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
        return {name: round(ordered[int(at * (len(ordered) - 1))] * 1000) for name, at in places.items()}


def _cost(service: Service, load: Load, events: int, encoding: str, seed: int) -> float:
    before = service.cpu_seconds()
    sent = _send(service, load, events, encoding, seed)
    after = service.cpu_seconds()
    parts = {name: (after[name] - before[name]) * 1000 / events for name in before}
    rate = events / sent.seconds
    figure(
        f"ingest_cpu_{encoding}",
        sum(parts.values()),
        "ms per event",
        parts={name: round(cost, 4) for name, cost in parts.items()},
        events_per_second=round(rate),
        accepted_in_ms=sent.quantiles_ms(),
        senders=load.senders,
        batch=load.batch,
    )
    half = _send(service, load, events // 2, encoding, seed + 100, events_per_second=rate * HALF)
    figure(f"accepted_{encoding}_at_half_load_p99", half.quantiles_ms()["p99"], "ms", **half.quantiles_ms())
    return sum(parts.values())


def _flat(service: Service, load: Load, events: int) -> None:
    """Memory while many arrive, and somebody asks for the list of issues now and then."""
    reader = Reader(service)
    with reader:
        for number in range(-(-events // EVENTS_A_ROUND)):
            before = service.cpu_seconds()
            sent = _send(service, load, EVENTS_A_ROUND, "gzip", seed=1_000 + number)
            after = service.cpu_seconds()
            cost = sum(after.values()) - sum(before.values())
            facts = {
                "events": (number + 1) * EVENTS_A_ROUND,
                "cpu_ms_per_event": round(cost * 1000 / EVENTS_A_ROUND, 3),
                "events_per_second": round(EVENTS_A_ROUND / sent.seconds),
                "accepted_in_ms": sent.quantiles_ms(),
                "lists": reader.count,
            }
            _memory("memory_while_ingesting_pss", service.pss_bytes(), **facts)


class Reader:
    """Asks for the list of issues every two seconds."""

    def __init__(self, service: Service) -> None:
        own = service.credentials
        self._address = f"{own['base_url']}/api/projects/{own['project']}/issues?limit=50"
        self._headers = {"Authorization": f"Bearer {service.credentials['api_key']}"}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.count = 0

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _ask(self) -> None:
        pool = urllib3.PoolManager()
        while not self._stopping.wait(LIST_EVERY_SECONDS):
            if pool.request("GET", self._address, headers=self._headers).status == 200:
                self.count += 1


def _send(
    service: Service, load: Load, events: int, encoding: str, seed: int, events_per_second: float = 0
) -> Sent:
    """As fast as they are accepted, or at this rate."""
    queue: SimpleQueue[bytes] = SimpleQueue()
    for body in batches(repeated(events, seed), load.batch):
        queue.put(COMPRESSED[encoding](body))
    taken: list[float] = []
    pause = load.batch * load.senders / events_per_second if events_per_second else 0.0
    arguments = service, queue, encoding, pause, taken
    senders = [threading.Thread(target=_sender, args=arguments) for _ in range(load.senders)]
    began = time.monotonic()
    for sender in senders:
        sender.start()
        # At a rate, they take turns.
        time.sleep(pause / load.senders)
    for sender in senders:
        sender.join()
    return Sent(taken, time.monotonic() - began)


def _sender(
    service: Service, queue: "SimpleQueue[bytes]", encoding: str, pause: float, taken: list[float]
) -> None:
    pool = urllib3.PoolManager()
    headers = {
        "Authorization": f"Bearer {service.credentials['api_key']}",
        "X-Errata-App-Key": service.credentials["app_key"],
        "Content-Encoding": encoding,
    }
    address = f"{service.credentials['base_url']}/api/ingest"
    next_at = time.monotonic()
    while True:
        try:
            body = queue.get_nowait()
        except Empty:
            return
        began = time.monotonic()
        answer = pool.request("POST", address, body=body, headers=headers)
        taken.append(time.monotonic() - began)
        if answer.status != 200 or answer.json()["rejected"]:
            raise RuntimeError(f"{answer.status}: {answer.data[:500]!r}")
        next_at += pause
        time.sleep(max(0.0, next_at - time.monotonic()))


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
            MonitorRegistry(registry.warehouse, lambda _: ()),
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


def _memory(name: str, parts: dict[str, int], **facts: object) -> None:
    megabytes = {part: round(size / 1e6) for part, size in parts.items()}
    figure(name, sum(parts.values()) / 1e6, "MB", parts=megabytes, **facts)


if __name__ == "__main__":
    main()
