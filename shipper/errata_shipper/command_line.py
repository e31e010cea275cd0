import argparse
import difflib
from collections.abc import Sequence
from pathlib import Path

from errata_shipper import __version__
from errata_shipper.setup import DEFAULT_INTAKE, QUESTIONS

_ACTIONS = {
    "init": "write the configuration file and test the connection; prompts for missing values on a terminal",
    "record": "run continuously and deliver events",
    "test": "test write access, connection and keys",
    "status": "print the delivery progress of each file",
    "validate": "validate the configuration",
    "retry-rejected": "retry lines that the server rejected",
}
# Options of --init, with their values if absent.
_OF_INIT = {question.attribute: None for question in QUESTIONS} | {
    "instance": None,
    "intake": None,
    "origin": None,
    "allow_http": False,
    "force": False,
}
_OTHERS = ("config", "json", "verbose", "version", "help", *(name.replace("_", "-") for name in _OF_INIT))
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
        *others, last = (f"--{name}" for name in _ACTIONS)
        parser.error(f"choose an action: {', '.join(others)} or {last}")
    if options.json and options.action != "status":
        parser.error("--json requires --status")
    given = [name for name, absent in _OF_INIT.items() if getattr(options, name) != absent]
    if given and options.action != "init":
        parser.error(f"--{given[0].replace('_', '-')} requires --init")
    if options.origin and not options.intake:
        parser.error("--origin requires --intake")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="errata-shipper",
        usage="errata-shipper [--config PATH] (--init [OPTIONS] | "
        "--record | --test | --status [--json] | --validate | --retry-rejected) [--verbose]",
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
    _add_options_of_init(parser.add_argument_group("with --init"))
    return parser


def _add_options_of_init(group: "argparse._ArgumentGroup") -> None:
    for question in QUESTIONS:
        group.add_argument(
            question.option, metavar="VALUE", help=f"{question.noun} (or set {question.variable})"
        )
    group.add_argument(
        "--instance",
        metavar="NAME",
        help="name of this shipper if several run on this host, such as shop",
    )
    group.add_argument(
        "--intake",
        nargs="?",
        const=DEFAULT_INTAKE,
        metavar="ADDRESS",
        help=f"also receive events from other Sentry SDKs (default address: {DEFAULT_INTAKE})",
    )
    group.add_argument(
        "--origin",
        action="append",
        metavar="ADDRESS",
        help=(
            "with --intake: origin of pages allowed to send, such as https://shop.example.com; can be "
            "repeated"
        ),
    )
    group.add_argument(
        "--allow-http", action="store_true", help="allow http to another host; sends keys unencrypted"
    )
    group.add_argument("--force", action="store_true", help="replace an existing configuration file")
