"""`python -m bench.direct_trials`: the exit code is 1 if an acknowledged event was lost or counted twice."""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.direct_trials.bugsink import bugsink
from bench.direct_trials.errata import errata
from bench.direct_trials.target import Target
from bench.direct_trials.trial import FAULTS, run
from bench.full_disk import small_disk

DISK_BYTES = 2 << 30


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.direct_trials")
    parser.add_argument("fault", choices=FAULTS)
    parser.add_argument("--seconds", type=float, default=60, help="how long the fault lasts")
    parser.add_argument("--rate", type=float, default=300, help="requests a second, in all")
    parser.add_argument("--workers", type=int, default=1, help="web processes of our service")
    parser.add_argument("--rival", type=Path, metavar="VENV", help="with Bugsink and gunicorn")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        made: Path | None = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="errata-trials-")))
        if chosen.fault == "full_disk":
            made = stack.enter_context(small_disk(DISK_BYTES))
        if made is None:
            sys.exit("left out, since this user or machine may not mount a tmpfs")
        target: Target
        if chosen.rival:
            target = stack.enter_context(bugsink(made, chosen.rival.absolute()))
        else:
            target = stack.enter_context(errata(made, chosen.workers))
        is_good = run(target, chosen.fault, chosen.seconds, chosen.rate)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
