import argparse
import difflib
from collections.abc import Sequence
from pathlib import Path

from errata_shipper import __version__

_ACTIONS = {
    "record": "run: deliver until told to stop",
    "test": "test write access, connection and keys, each named",
    "status": "print how far each file is delivered",
    "validate": "check the configuration",
    "retry-rejected": "deliver again what the server refused before",
}
_OTHERS = ("config", "json", "verbose", "version", "help")


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Ends the process with 2 if they are wrong, and with 0 where they only ask for help."""
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        close = difflib.get_close_matches(unknown[0], [f"--{name}" for name in (*_ACTIONS, *_OTHERS)], n=1)
        parser.error(f"unknown option {unknown[0]}" + (f"; did you mean {close[0]}?" if close else ""))
    if not options.action:
        parser.error("say what to do: --record, --test, --status, --validate or --retry-rejected")
    if options.json and options.action != "status":
        parser.error("--json goes with --status")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="errata-shipper",
        usage="errata-shipper [--config PATH] "
        "(--record | --test | --status [--json] | --validate | --retry-rejected) [--verbose]",
        description="Delivers the events that applications write to log files to an Errata server.",
        epilog="Exit codes: 0 ok, 2 configuration, 3 storage path, 4 server unreachable, 5 key refused, "
        "6 another shipper holds the directory.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--config",
        type=Path,
        default=Path("errata.yaml"),
        metavar="PATH",
        help="the configuration file; errata.yaml if absent",
    )
    actions = parser.add_mutually_exclusive_group()
    for name, what in _ACTIONS.items():
        actions.add_argument(f"--{name}", action="store_const", const=name, dest="action", help=what)
    parser.add_argument("--json", action="store_true", help="with --status: print it for programs")
    parser.add_argument(
        "--verbose", action="store_true", help="with --record or --retry-rejected: tell of every request"
    )
    parser.add_argument(
        "--version", action="version", version=f"errata-shipper {__version__}", help="print the version"
    )
    return parser
