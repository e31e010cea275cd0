"""What `Exception.ToString` writes in .NET."""

import re
from collections.abc import Iterator

from errata_wire.otlp.raised import MOST_FRAMES, Frame, Raised

_RAISED = re.compile(r"(?: ---> )?([\w.`+]+)(?:: (.*))?")
_FRAME = re.compile(r"\s+at ([^\s(]{1,500})\(")


def exceptions(stack: str) -> Iterator[Raised]:
    """.NET prints the outermost exception first, its causes behind arrows, and frames of the causes first."""
    lines = stack.split("\n")
    chain: list[Raised] = []
    waiting: list[Raised] = []
    for line in lines:
        if match := _FRAME.match(line):
            if waiting:
                waiting[-1].frames.append(_frame(match[1], line))
        elif line.strip().startswith("--- End of inner exception"):
            chain.append(waiting.pop()) if len(waiting) > 1 else None
        elif not line.startswith("   at") and (match := _RAISED.fullmatch(line.rstrip())):
            waiting.append(Raised(match[1], match[2] or ""))
        elif waiting and not waiting[-1].frames and not line.lstrip().startswith("---"):
            waiting[-1].value += f"\n{line}"
    for raised in [*chain, *reversed(waiting)]:
        raised.frames = raised.frames[:MOST_FRAMES][::-1]
        yield raised


def _frame(called: str, line: str) -> Frame:
    module, _, function = called.rpartition(".")
    frame: Frame = {"module": module, "function": function}
    path, found, number = line.partition(") in ")[2].rpartition(":line ")
    if found and number.strip().isdecimal():
        frame |= {"filename": path.replace("\\", "/").rpartition("/")[2], "abs_path": path}
        frame["lineno"] = int(number[:9])
    if module.startswith(("System.", "Microsoft.")):
        frame["in_app"] = False
    return frame
