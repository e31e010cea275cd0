import argparse
from pathlib import Path

from errata_shipper import __version__


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="errata-shipper",
        description="Delivers the events that applications write to log files to an Errata server.",
        epilog="Exit codes: 0 ok, 2 configuration, 3 storage path, 4 server unreachable, 5 key refused, "
        "6 another shipper holds the directory.",
    )
    options.add_argument("--version", action="version", version=f"errata-shipper {__version__}")
    options.add_argument(
        "--config", type=Path, default=Path("errata.yaml"), metavar="PATH", help="errata.yaml"
    )
    action = options.add_mutually_exclusive_group(required=True)
    action.add_argument("--validate", action="store_true", help="check the configuration and stop")
    action.add_argument(
        "--test", action="store_true", help="test connection, keys and write access, and stop"
    )
    action.add_argument(
        "--status", action="store_true", help="print how far each file is delivered, and stop"
    )
    action.add_argument("--record", action="store_true", help="run: deliver until told to stop")
    action.add_argument(
        "--retry-rejected", action="store_true", help="deliver what the server refused before again, and stop"
    )
    options.add_argument("--json", action="store_true", help="print the status as JSON (with --status)")
    options.add_argument("--verbose", action="store_true", help="log each request too")
    return options
