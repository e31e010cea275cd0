"""The reference of the `errata` command as Markdown: `python -m tests.command_reference > docs/cli.md`."""

import argparse
import sys
from collections.abc import Iterator

from errata.command_line import command_line

HEAD = """# Command line

Every command of `errata`, as `errata COMMAND --help` says it. Generated from the code. The shipper has
[commands of its own](shipper-reference.md#command-line).

A command ends with 0 if it did what it says, with 1 if it failed, and with 2 if its arguments are wrong. It
ends with 78 where no retry helps until something is changed ([errors](errors-commands.md)).
[Gates in CI](ci.md) have codes of their own.
"""


def reference() -> str:
    commands = _commands("errata", command_line())
    return "\n".join([HEAD, *("\n".join(_section(name, parser)) for name, parser in commands)])


def _commands(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The commands that do something, those within others included."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        yield name, parser
    for group in groups:
        for word, below in group.choices.items():
            yield from _commands(f"{name} {word}", below)


def _section(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"## {name}\n"
    if parser.description:
        yield f"{_plain(parser.description)}\n"
    rows = [
        _row(action)
        for action in parser._actions
        if action.help != argparse.SUPPRESS and action.dest != "help"
    ]
    if rows:
        yield "| argument | means |\n|---|---|"
        yield "\n".join(rows) + "\n"


def _row(action: argparse.Action) -> str:
    value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    shown = " ".join(value) if isinstance(value, tuple) else str(value)
    names = f"{action.option_strings[-1]} {shown}".strip() if action.option_strings else shown
    # A bar would end the cell, in code too.
    names = names.replace("|", "\\|")
    choices = ", ".join(f"`{choice}`" for choice in action.choices or ())
    words = [_plain(action.help or ""), f"one of {choices}" if choices else ""]
    return f"| `{names}` | {'; '.join(word for word in words if word)} |"


def _plain(text: str) -> str:
    return " ".join(text.replace("%(prog)s", "errata").replace("%%", "%").replace("|", "\\|").split())


if __name__ == "__main__":
    sys.stdout.write(reference())
