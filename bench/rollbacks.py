"""Bad deploys that are rolled back: does a bad release make the one that it is rolled back to red?

python -m bench.rollbacks --rollbacks 200 --loads 250
"""

import argparse
import tempfile
import time
from pathlib import Path

from bench.figures import figure
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.mart_builds import build_page_metrics
from tests.processes import start_warehouse
from tests.rollbacks import deliver_rollback, judged


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rollbacks", type=int, default=200)
    parser.add_argument("--loads", type=int, default=250, help="a week")
    chosen = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        running = start_warehouse(Path(directory))
        try:
            migrate(running.client(Role.ADMIN))
            ingest = running.client(Role.INGEST)
            for number in range(chosen.rollbacks):
                deliver_rollback(ingest, number, chosen.loads)
            build_page_metrics(running)
            found = list(judged(running, range(chosen.rollbacks)))
        finally:
            running.stop()
    figure(
        "rollbacks_blocked",
        sum(one.is_blocked for one in found),
        "releases",
        rollbacks=len(found),
        bad_releases_red=sum(one.bad.overall_verdict == "worse" for one in found),
        red_without_the_bad_release_too=sum(one.without.overall_verdict == "worse" for one in found),
        judged_differently=sum(
            (one.with_bad.effects, one.with_bad.error_rates) != (one.without.effects, one.without.error_rates)
            for one in found
        ),
        seconds=round(time.monotonic() - began),
    )


if __name__ == "__main__":
    main()
