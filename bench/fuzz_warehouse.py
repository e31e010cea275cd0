"""Statements by chance on the analysts' port, for as long as told."""

import argparse
import random
import tempfile
from pathlib import Path

from tests.errata.warehouse.fuzzing import Fuzzing, migrated_warehouse


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.fuzz_warehouse")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-fuzz-") as directory:
        warehouse = migrated_warehouse(Path(directory))
        outcome = Fuzzing(warehouse, chosen.seed).run(chosen.seconds)
        warehouse.stop()
    print(f"seed {chosen.seed}: {outcome.statements} statements, {outcome.answered} answered, ", end="")
    print(f"the slowest in {outcome.slowest_seconds:.1f} s, {len(outcome.faults)} faults")
    for line in (*outcome.faults, *(outcome.latest if outcome.faults else ())):
        print(line)
    raise SystemExit(1 if outcome.faults else 0)


if __name__ == "__main__":
    main()
