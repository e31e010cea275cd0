"""Requests by chance at the direct door: `python -m bench.fuzz_door [--count N] [--seed N] [--seconds N]`."""

import argparse
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.figures import figure
from errata.state import Store
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.api.door.fuzzing import fuzzed
from tests.processes import start_warehouse

COUNT = 500_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.fuzz_door")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no round after these")
    parser.add_argument("--neighbor-every", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-fuzz-") as directory:
        warehouse = start_warehouse(Path(directory) / "data")
        admin = warehouse.client(Role.ADMIN)
        migrate(admin)
        admin.close()
        store = Store.open(f"sqlite:///{directory}/state.db", b"s" * 48)
        store.migrate()
        store.accounts.create_first("Acme", "Shop", "owner@localhost")
        began = time.monotonic()
        try:
            outcome = fuzzed(
                warehouse,
                store,
                Path(directory) / "spool",
                chosen.seed,
                chosen.count,
                seconds=chosen.seconds,
                neighbor_every=chosen.neighbor_every,
            )
        finally:
            store.close()
            warehouse.stop()
    by_status = Counter[int]()
    for (_, status), count in outcome.statuses.items():
        by_status[status] += count
    figure(
        "fuzz_door",
        outcome.count,
        "requests",
        seed=chosen.seed,
        seconds=round(time.monotonic() - began),
        statuses={str(status): count for status, count in sorted(by_status.items())},
        neighbors_sent=outcome.neighbors_sent,
        neighbors_stored=outcome.neighbors_stored,
        stored_after_seconds=round(outcome.wait_seconds / max(1, outcome.neighbors_sent), 1),
        slowest_seconds=round(outcome.slowest_seconds, 2),
        slowest=outcome.slowest[:300],
        faults=len(outcome.faults),
    )
    for line in outcome.faults:
        print(line)
    raise SystemExit(1 if outcome.faults else 0)


if __name__ == "__main__":
    main()
