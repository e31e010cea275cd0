"""`python -m bench.crowd --folder DIR`: makes 20 M error events of 50,000 issues, or goes on with it."""

import argparse
import time
from pathlib import Path

from bench.crowd.making import Making, say
from bench.crowd.plan import Plan
from bench.figures import figure
from errata.warehouse.roles import Role
from tests.service import running

MEMORY_BYTES = 4 << 30
STORED = """
    select database, sum(bytes_on_disk) as byte_count, sum(rows) as row_count
    from system.parts
    where active and database in ('errata_raw', 'errata_mart')
    group by database
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.crowd")
    parser.add_argument(
        "--folder", type=Path, required=True, help="kept: a second run goes on where the first ended"
    )
    parser.add_argument("--events", type=int, default=20_000_000)
    parser.add_argument("--issues", type=int, default=50_000)
    parser.add_argument("--whole", type=int, default=50_000, help="events that keep their whole payload")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    make(chosen.folder, Plan.of(chosen.folder, chosen.events, chosen.issues, chosen.whole, chosen.seed))


def make(folder: Path, plan: Plan) -> None:
    began = time.monotonic()
    with running("--no-pipelines", "--memory", str(MEMORY_BYTES), directory=folder / "data") as service:
        making = Making(service, plan)
        making.run()
        stored = {row["database"]: row for row in service.warehouse(Role.ADMIN).rows(STORED)}
    figure("crowd_seconds", time.monotonic() - began, "s", events=plan.event_count, issues=plan.issue_count)
    for name, row in stored.items():
        figure(f"crowd_stored_{name}", row["byte_count"] / 1e9, "GB", rows=row["row_count"])
    say("done")


if __name__ == "__main__":
    main()
