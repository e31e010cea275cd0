"""What an application wrote, in a comment of a forge: code pings nobody, links nowhere and is no HTML."""

import re

LENGTH_MAX = 160


def code(text: str) -> str:
    """One line in backticks, of printable characters alone."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    line = " ".join(shown.split())
    line = line if len(line) <= LENGTH_MAX else f"{line[: LENGTH_MAX - 1]}…"
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " * (line.startswith("`") or line.endswith("`"))
    return f"{ticks}{pad}{line or '–'}{pad}{ticks}"
