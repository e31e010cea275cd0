"""`make bench`: all figures, or those of the benchmarks named."""

import importlib
import sys

BENCHMARKS = ("grouping", "ingest", "listed", "kill")


def main() -> None:
    for name in sys.argv[1:] or BENCHMARKS:
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main()
