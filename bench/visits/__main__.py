"""`python -m bench.visits --folder DIR`: makes 50 M page views with 500 M resources, or goes on with it."""

import argparse
import time
from pathlib import Path

from bench.crowd.making import say
from bench.figures import figure
from bench.visits.making import Making
from bench.visits.plan import Plan
from errata.warehouse.roles import Role
from tests.service import running

MEMORY_BYTES = 4 << 30
STORED = """
    select database, table, sum(bytes_on_disk) as byte_count, sum(rows) as row_count
    from system.parts
    where active and database in ('errata_raw', 'errata_mart') and rows > 1000
    group by database, table
    order by byte_count desc
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.visits")
    parser.add_argument(
        "--folder", type=Path, required=True, help="kept: a second run goes on where the first ended"
    )
    parser.add_argument("--views", type=int, default=50_000_000)
    parser.add_argument("--weeks", type=int, default=26)
    parser.add_argument("--resources", type=float, default=10.0, help="that a view loads on average")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--newest-days", type=int, help="only so many, the newest")
    chosen = parser.parse_args()
    plan = Plan.of(chosen.folder, chosen.views, chosen.weeks, chosen.resources, chosen.seed)
    began = time.monotonic()
    with running(
        "--no-pipelines", "--memory", str(MEMORY_BYTES), directory=chosen.folder / "data"
    ) as service:
        Making(service, plan).run(chosen.newest_days)
        stored = service.warehouse(Role.ADMIN).rows(STORED)
    figure("visits_seconds", time.monotonic() - began, "s", views=plan.views, weeks=plan.weeks)
    for row in stored:
        bytes_a_row = round(row["byte_count"] / row["row_count"], 1)
        facts = {"rows": row["row_count"], "bytes_a_row": bytes_a_row}
        figure(f"visits_stored_{row['database']}.{row['table']}", row["byte_count"] / 1e9, "GB", **facts)
    say("done")


if __name__ == "__main__":
    main()
