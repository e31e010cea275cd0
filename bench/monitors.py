"""Monitors of jobs that run late, overlap, fail or don't run, on hosts, shippers and a service that go down
and come back, also as clocks change: `python -m bench.monitors`.

Each combination is a row. The exit status is 1 if a run that began is told as missed, or one that did not is
found later than a minute."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bench.figures import figure
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.errata.monitors.matrix import World, plans
from tests.processes import start_warehouse


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="errata-monitors-") as directory:
        warehouse = start_warehouse(Path(directory) / "data")
        try:
            ingest, read, admin = (warehouse.client(role) for role in (Role.INGEST, Role.READ, Role.ADMIN))
            migrate(admin)
            rows = [
                row
                for number, plan in enumerate(plans(datetime.now(UTC)))
                for row in World(plan, number + 1, ingest, read).run()
            ]
        finally:
            warehouse.stop()
    print("| schedule | job | outage | sent by | run shown as | missed found after | fault |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        one = row.combination
        after = "" if row.found_after is None else f"{row.found_after.total_seconds():.0f} s"
        print(f"| {row.plan} | {one.job} | {one.outage} | {one.way} | {row.final} | {after} | {row.fault} |")
    found = [row.found_after.total_seconds() for row in rows if row.found_after is not None]
    faults = sum(bool(row.fault) for row in rows)
    figure("monitors", len(rows), "rows", faults=faults, missed=len(found), slowest_seconds=max(found))
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
