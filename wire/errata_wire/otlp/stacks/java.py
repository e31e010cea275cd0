"""Stacks as `Throwable.printStackTrace` writes them."""

import re
from collections.abc import Iterator

from errata_wire.otlp.raised import MOST_FRAMES, Frame, Raised

_RAISED = re.compile(r"(?:Caused by: |\s*Suppressed: )?([\w$.]+)(?:: (.*))?")
_FRAME = re.compile(
    r"\s+at (?:[^/()\s]+/)?(?:[^/()\s]*/)?([\w$.<>]+)\.([\w$<>]+)\(([^():]*)(?::(\d{1,9}))?\)"
)


def exceptions(stack: str) -> Iterator[Raised]:
    chain: list[Raised] = []
    for line in stack.split("\n"):
        if match := _FRAME.match(line):
            if chain:
                chain[-1].frames.append(_frame(*match.groups()))
        elif line.startswith(("\t", " ")) and not line.lstrip().startswith("Suppressed:"):
            continue
        elif line.lstrip().startswith("Suppressed:"):
            # Beside the chain: what comes up to the next cause belongs to it.
            chain.append(Raised("suppressed"))
        elif match := _RAISED.fullmatch(line):
            chain.append(Raised(match[1], match[2] or ""))
        elif chain and not chain[-1].frames:
            chain[-1].value += f"\n{line}"
    for raised in reversed(chain):
        if raised.type != "suppressed":
            raised.frames = raised.frames[:MOST_FRAMES][::-1]
            yield raised


def _frame(module: str, function: str, file: str, line: str | None) -> Frame:
    frame: Frame = {"module": module, "function": function}
    if file and file not in ("Native Method", "Unknown Source"):
        frame["filename"] = file
    if line:
        frame["lineno"] = int(line)
    return frame
