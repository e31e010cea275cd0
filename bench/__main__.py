"""`make bench`: all figures, or those of the benchmarks named."""

import importlib
import sys

BENCHMARKS = (
    "grouping",
    "harmless",
    "grouping_evolution",
    "grouping_duplicates",
    "source_maps",
    "source_map_lists",
    "ingest",
    "backpressure",
    "listed",
    "loads",
    "neighbors",
    "replays",
    "shipper",
    "shipper_rate",
    "intake",
    "doors",
    "idle",
    "wheel",
    "alerts",
    "budgets",
    "sdk",
    "sdk_servers",
    "decisions",
    "truth",
    "backup",
    "kill_builds",
    "kill",
    "full_disk",
)


def main() -> None:
    names = sys.argv[1:] or BENCHMARKS
    del sys.argv[1:]
    for name in names:
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main()
