"""`python -m demo`: the whole service with a shop to watch."""

import argparse
import sys
from pathlib import Path

from demo.folder import DemoError, DemoFolder
from demo.stage import Stage


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m demo", description="Run Errata with a buggy demo shop and simulated visitors."
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(".demo"), help="folder for the demo's data (default: .demo)"
    )
    parser.add_argument("--port", type=int, default=0, help="port of Errata's pages (default: any free port)")
    parser.add_argument("--shop-port", type=int, default=0, help="port of the shop (default: any free port)")
    parser.add_argument(
        "--visitors",
        type=int,
        default=3,
        help="without history, simultaneous visitors in the first minute (default: 3)",
    )
    parser.add_argument(
        "--weeks",
        type=int,
        default=8,
        choices=range(27),
        metavar="N",
        help="weeks of history of a new folder (default: 8; 0: none)",
    )
    chosen = parser.parse_args()
    try:
        folder = DemoFolder(chosen.folder)
        with folder.hold():
            return Stage(folder, chosen.port, chosen.shop_port, chosen.visitors, chosen.weeks).run()
    except DemoError as error:
        print(f"demo: {error}", file=sys.stderr)  # noqa: T201
        return 1


if __name__ == "__main__":
    sys.exit(main())
