"""What an erasure costs: a person with some events of each day, and an issue with a tenth of all.

`python -m bench.erasure --rows 1000000` fills a warehouse of its own with error events of thirty days.
"""

import argparse
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import psutil

from bench.figures import figure
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.queries.erasures import items, removal
from errata.warehouse.queries.erasures.items import Subject
from errata.warehouse.queries.erasures.log import Erasure, Kind, Step, record
from errata.warehouse.roles import Role
from tests.processes import start_warehouse

PROJECT = 7
PERSON, ISSUE = 4_711, 3
DAYS = 30
FILL = """
    insert into errata_raw.error_events
    (
        project_id, variant_hash, occurred_at, received_at, item_id, type, message, user_hash, user_email,
        payload
    )
    select
        7,
        number % 10,
        now64(3) - toIntervalDay({day:UInt8}),
        now64(3) - toIntervalDay({day:UInt8}),
        generateUUIDv4(),
        'ValueError',
        concat('No account of customer ', toString(rand(1) % 20000)),
        if(rand(2) % 1000 = 0, 4711, 1 + rand(3) % 20000),
        concat('customer', toString(rand(4) % 20000), '@example.org'),
        concat('{"extra":"', hex(randomString(900)), '"}')
    from numbers({count:UInt32})
"""


class Usage:
    """Processor time and the most memory of a process while this lasts."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._stopping = threading.Event()
        self.most = 0

    def cpu(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)

    def __enter__(self) -> "Usage":
        self._began, self._from = time.perf_counter(), self.cpu()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()
        self.seconds, self.cpu_seconds = time.perf_counter() - self._began, self.cpu() - self._from

    def _watch(self) -> None:
        while not self._stopping.wait(0.05):
            self.most = max(self.most, self._process.memory_info().rss)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.erasure")
    parser.add_argument("--rows", type=int, default=1_000_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as folder:
        process = start_warehouse(Path(folder) / "data")
        try:
            admin, ingest = process.client(Role.ADMIN), process.client(Role.INGEST)
            migrate(admin)
            for day in range(DAYS):
                admin.execute(FILL, {"day": day, "count": chosen.rows // DAYS})
            pid = process.process.pid
            _erase(ingest, pid, "person", Subject(users=(PERSON,)), chosen.rows)
            _erase(ingest, pid, "issue", Subject(variants=(ISSUE,)), chosen.rows)
        finally:
            process.stop()


def _erase(ingest: Warehouse, pid: int, name: str, subject: Subject, rows: int) -> None:
    erasure = Erasure(PROJECT, uuid4(), Kind.PERSON, name, "bench", datetime.now(UTC))
    record(ingest, erasure, Step.ASKED)
    counts: dict[str, int] = {}

    def remove() -> None:
        counts.update(removal.remove_items(ingest, erasure, lambda: True))

    _measured(pid, f"erasure_{name}_collect", lambda: items.collect(ingest, erasure, subject), rows)
    _measured(pid, f"erasure_{name}_remove", remove, rows)
    figure(f"erasure_{name}_rows", sum(counts.values()), "rows", of=rows)


def _measured(pid: int, name: str, work: Callable[[], None], rows: int) -> None:
    with Usage(pid) as usage:
        work()
    figure(f"{name}_time", usage.seconds, "s", rows=rows)
    figure(f"{name}_cpu", usage.cpu_seconds, "s", rows=rows)
    figure(f"{name}_memory", usage.most / 1e6, "MB", rows=rows)


if __name__ == "__main__":
    main()
