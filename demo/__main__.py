"""`python -m demo`: the whole service with a shop to watch."""

import argparse
import sys
from pathlib import Path

from demo.folder import DemoError, DemoFolder
from demo.stage import Stage


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m demo", description="Errata, a shop with bugs, and visitors who find them."
    )
    parser.add_argument("--folder", type=Path, default=Path(".demo"), help="what is kept (default: .demo)")
    parser.add_argument("--port", type=int, default=0, help="port of Errata's pages (default: a free one)")
    parser.add_argument("--shop-port", type=int, default=0, help="port of the shop (default: a free one)")
    parser.add_argument("--visitors", type=int, default=3, help="at once, in the first minute (default: 3)")
    parser.add_argument(
        "--weeks",
        type=int,
        default=0,
        help="of captured page loads before today (default: 0)",
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
