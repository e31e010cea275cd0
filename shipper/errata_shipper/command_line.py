import argparse
import difflib
from collections.abc import Sequence
from pathlib import Path

from errata_shipper import __version__

_ACTIONS = {
    "record": "run continuously and deliver events",
    "test": "test write access, connection and keys",
    "status": "print the delivery progress of each file",
    "validate": "validate the configuration",
    "retry-rejected": "retry lines that the server rejected",
}
_OTHERS = ("config", "json", "verbose", "version", "help")
# Two letters swapped are this near; a word that only shares some letters is not.
_NEAR = 0.7


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Ends the process with 2 if they are wrong, and with 0 where they only ask for help."""
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        word = unknown[0].lstrip("-").partition("=")[0]
        close = difflib.get_close_matches(word, (*_ACTIONS, *_OTHERS), n=1, cutoff=_NEAR)
        advice = f"did you mean --{close[0]}?" if close else "--help lists the options"
        parser.error(f"unknown option {unknown[0]}; {advice}")
    if not options.action:
        parser.error("choose an action: --record, --test, --status, --validate or --retry-rejected")
    if options.json and options.action != "status":
        parser.error("--json requires --status")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="errata-shipper",
        usage="errata-shipper [--config PATH] "
        "(--record | --test | --status [--json] | --validate | --retry-rejected) [--verbose]",
        description="Delivers events from application log files to an Errata server.",
        epilog="Exit codes: 0 ok, 2 configuration, 3 storage path, 4 server unreachable, 5 key rejected, "
        "6 directory in use by another shipper.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--config",
        type=Path,
        default=Path("errata.yaml"),
        metavar="PATH",
        help="configuration file (default: errata.yaml)",
    )
    actions = parser.add_mutually_exclusive_group()
    for name, what in _ACTIONS.items():
        actions.add_argument(f"--{name}", action="store_const", const=name, dest="action", help=what)
    parser.add_argument("--json", action="store_true", help="with --status: print JSON")
    parser.add_argument(
        "--verbose", action="store_true", help="with --record or --retry-rejected: log every request"
    )
    parser.add_argument(
        "--version", action="version", version=f"errata-shipper {__version__}", help="print the version"
    )
    return parser
