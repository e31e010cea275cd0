"""Kills builds and their warehouse at random moments and compares every count with a recount.

python -m bench.kill_builds --builds 10 --warehouses 10
"""

import argparse
import json
import random
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from tests.builders import Row, insert
from tests.processes import WarehouseProcess, start_warehouse
from tests.warehouse_builds import (
    BRISK,
    UNPUBLISHED,
    assert_exact,
    endless_builds,
    kill,
    some_events,
    wait_for_a_build,
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--builds", type=int, default=10)
    parser.add_argument("--warehouses", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    random_, now = random.Random(chosen.seed), datetime.now(UTC)
    delivered: list[Row] = []
    with tempfile.TemporaryDirectory() as directory:
        running = start_warehouse(Path(directory))
        migrate(running.client(Role.ADMIN))
        for number in range(chosen.builds + chosen.warehouses):
            rows = some_events(random_, now, 80)
            rows += random_.sample(rows + delivered, 40)
            insert(running.client(Role.INGEST), "errata_raw.error_events", rows)
            delivered += rows
            # Two builds beside each other.
            builds = [endless_builds(running.url(Role.BUILD)) for _ in range(2)]
            wait_for_a_build(running.client(Role.ADMIN), random_)
            victim = "builds" if number < chosen.builds else "warehouse"
            if victim == "warehouse":
                running = killed_and_started(running, Path(directory))
            for build in builds:
                kill(build)
            unpublished = len(running.client(Role.ADMIN).rows(UNPUBLISHED))
            assert_exact(running.client(Role.READ), delivered, now)
            print(json.dumps({"killed": victim, "number": number, "unpublished": unpublished, "exact": True}))
        started = time.monotonic()
        list(build_due(running.client(Role.BUILD), ["variant_hourly", "variant_daily"], BRISK))
        assert_exact(running.client(Role.READ), delivered, now)
        seconds = round(time.monotonic() - started, 2)
        print(json.dumps({"last_build_seconds": seconds, "events": len(delivered), "exact": True}))
        running.stop()


def killed_and_started(running: WarehouseProcess, directory: Path) -> WarehouseProcess:
    running.process.kill()
    running.process.wait()
    return start_warehouse(directory)


if __name__ == "__main__":
    main()
