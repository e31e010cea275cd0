"""Kills builds of page performance and their warehouse at random moments, while somebody reads.

python -m bench.kill_load_builds --builds 40 --warehouses 10
"""

import argparse
import random
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from bench.figures import figure
from errata.errors import ErrataError
from errata.performance.filters import Filters
from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.queries.performance.endpoints import endpoints
from errata.warehouse.queries.performance.page_views import pages
from errata.warehouse.queries.performance.resources import by_type
from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from tests.builders import Row, insert
from tests.processes import WarehouseProcess, start_warehouse
from tests.warehouse_builds import BRISK, UNPUBLISHED, endless_builds, kill, wait_for_a_build

MARTS = (
    *("page_loads", "page_metrics_daily", "page_metrics_hourly"),
    *("endpoint_metrics_daily", "endpoint_metrics_hourly", "resource_metrics_daily", "weekly_trends"),
)
PAGES, TYPES, ROUTES = ("/", "/cart", "/checkout/{id}"), ("script", "image", "font"), ("/api/a", "/api/b")
Tables = dict[str, list[Row]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--builds", type=int, default=40)
    parser.add_argument("--warehouses", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        killing = Killing(Path(directory), random.Random(chosen.seed))
        try:
            for _ in range(chosen.builds):
                killing.kill_builds()
            for _ in range(chosen.warehouses):
                killing.kill_warehouse()
        finally:
            killing.running.process.kill()
    figure("killed_builds_of_loads", chosen.builds, "kills", unpublished=killing.unpublished)
    figure("killed_warehouses_in_builds_of_loads", chosen.warehouses, "kills")
    figure("reads_while_builds_were_killed", killing.reads, "reads", wrong=0, views=killing.view_count)


class Killing:
    """Two builds beside each other, killed in the middle; what is read is compared with all that came."""

    def __init__(self, directory: Path, random_: random.Random) -> None:
        self.running = start_warehouse(directory)
        migrate(self.running.client(Role.ADMIN))
        self.reads = 0
        self.unpublished = 0
        self._directory = directory
        self._random = random_
        self._delivered = Delivered()

    @property
    def view_count(self) -> int:
        return len(self._delivered.loads)

    def kill_builds(self) -> None:
        self._delivered.deliver(self.running.client(Role.INGEST), self._random)
        with reading(self.running, self._delivered) as reader:
            for build in self._some_way_into_builds():
                kill(build)
            self.unpublished += len(self.running.client(Role.ADMIN).rows(UNPUBLISHED))
            self._build_on()
        self.reads += reader.reads

    def kill_warehouse(self) -> None:
        self._delivered.deliver(self.running.client(Role.INGEST), self._random)
        with reading(self.running, self._delivered) as reader:
            builds = self._some_way_into_builds()
        self.reads += reader.reads
        self.running.process.kill()
        self.running.process.wait()
        for build in builds:
            kill(build)
        self.running = start_warehouse(self._directory)
        assert_exact(self.running.client(Role.READ), self._delivered)
        self._build_on()

    def _some_way_into_builds(self) -> "list[subprocess.Popen[bytes]]":
        builds = [endless_builds(self.running.url(Role.BUILD), *MARTS) for _ in range(2)]
        wait_for_a_build(self.running.client(Role.ADMIN), self._random)
        return builds

    def _build_on(self) -> None:
        """Whoever comes next goes on with what the killed ones left."""
        list(build_due(self.running.client(Role.BUILD), MARTS, BRISK))
        read = self.running.client(Role.READ)
        assert_exact(read, self._delivered)
        assert resource_counts(read) == self._delivered.resource_counts


@dataclass
class Delivered:
    """Everything, each once; and what of it comes again."""

    loads: list[tuple[str, float]] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    resource_counts: Counter[str] = field(default_factory=Counter)
    batches: list[Tables] = field(default_factory=list)

    def deliver(self, ingest: Warehouse, random_: random.Random) -> None:
        tables: Tables = {"page_views": [], "page_resources": [], "requests": []}
        for _ in range(60):
            self._view(tables, random_)
        again = random_.choice(self.batches) if self.batches else tables
        for batch in (tables, again):
            for table, rows in batch.items():
                insert(ingest, f"errata_raw.{table}", rows)
        self.batches.append(tables)

    def _view(self, tables: Tables, random_: random.Random) -> None:
        age = random_.choice([timedelta(hours=1), timedelta(hours=30), timedelta(days=9)])
        occurred_at = datetime.now(UTC) - random_.uniform(0.01, 1) * age
        page, load_ms = random_.choice(PAGES), round(random_.lognormvariate(7, 0.6), 1)
        shared: Row = {
            "project_id": 7,
            "view_id": random_.getrandbits(62) + 1,
            "occurred_at": occurred_at,
            "environment": "production",
        }
        started = occurred_at.timestamp() * 1000
        times = {"started_at_ms": started, "load_at_ms": started + load_ms}
        load = {"item_id": uuid4(), "is_load": True, "navigation_type": "navigate", "trace_id": UUID(int=1)}
        tables["page_views"].append(shared | load | times | {"page": page})
        self.loads.append((page, load_ms))
        for _ in range(random_.randrange(4)):
            kind = random_.choice(TYPES)
            told = {"type": kind, "url": f"https://a.example/{kind}", "body_bytes": 900, "duration_ms": 5.0}
            started_us = {"start_us": round(started * 1000)}
            tables["page_resources"].append(shared | {"item_id": uuid4(), "page": page} | told | started_us)
            self.resource_counts[kind] += 1
        for _ in range(random_.randrange(3)):
            route = random_.choice(ROUTES)
            call = {"side": "server", "route": route, "method": "GET", "status_code": 200, "duration_ms": 9.0}
            tables["requests"].append(shared | {"item_id": uuid4()} | call)
            self.calls[route] += 1


def assert_exact(read: Warehouse, delivered: Delivered) -> None:
    asked = Filters([7], Period("14d"), datetime.now(UTC))
    found: dict[str, Any] = {row.page: (row.view_count, *row["load_ms"]) for row in pages(read, asked).rows}
    for page in PAGES:
        values = [load_ms for of, load_ms in delivered.loads if of == page]
        wanted = np.percentile(values, [50, 75, 95])
        count, *percentiles = found[page]
        assert count == len(values), f"{page}: {count} views for {len(values)}"
        # Digests above 1,000 samples.
        assert np.allclose(percentiles, wanted, rtol=1e-6 if count < 1000 else 0.01), (page, percentiles)
    calls = {row.route: row.call_count for row in endpoints(read, asked).rows}
    assert calls == delivered.calls, f"{calls} calls for {delivered.calls}"


def resource_counts(read: Warehouse) -> dict[str, int]:
    rows = by_type(read, Filters([7], Period("14d"), datetime.now(UTC))).rows
    return {row.type: row.resource_count for row in rows}


@dataclass
class Reader:
    """Asks again and again: what was read before of a build is known, or, every other time, nothing is."""

    warehouse: WarehouseProcess
    delivered: Delivered
    reads: int = 0
    problems: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        least, known = {True: 0, False: 0}, self.warehouse.client(Role.READ)
        while not self.ended.is_set():
            try:
                is_known = self.reads % 2 == 1
                read = known if is_known else self.warehouse.client(Role.READ)
                assert_exact(read, self.delivered)
                # As of builds that go on: never less than before, never more than came. Who remembers an
                # answer is given it once more while the next one is asked for.
                now = sum(resource_counts(read).values())
                assert least[is_known] <= now <= self.delivered.resource_counts.total(), (now, least)
                least[is_known] = now
                self.reads += 1
            except (AssertionError, ErrataError) as error:
                self.problems.append(f"{type(error).__name__}: {error}")
            time.sleep(0.05)


@contextmanager
def reading(warehouse: WarehouseProcess, delivered: Delivered) -> Iterator[Reader]:
    reader = Reader(warehouse, delivered)
    thread = threading.Thread(target=reader.run)
    thread.start()
    try:
        yield reader
    finally:
        reader.ended.set()
        thread.join()
    assert reader.problems == [], "; ".join(reader.problems)


if __name__ == "__main__":
    main()
