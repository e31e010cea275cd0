"""What `Exception#full_message` writes in Ruby."""

import re
from collections.abc import Iterator

from errata_wire.otlp.raised import MOST_FRAMES, Frame, Raised

_FRAME = re.compile(
    r"\s*(?:from )?([^\s:][^:\n]*):(\d{1,9}):in [`'](?:block (?:\(\d+ levels\) )?in )?([^'\n]+)'(.*)"
)
_SAID = re.compile(r": (.*) \(([A-Z][\w:]*)\)")


def exceptions(stack: str) -> Iterator[Raised]:
    raised = Raised()
    for line in stack.split("\n"):
        match = _FRAME.fullmatch(line)
        if match is None:
            continue
        raised.frames.append(_frame(match[1], int(match[2]), match[3]))
        if said := _SAID.fullmatch(match[4]):
            raised.value, raised.type = said[1], said[2]
    if raised.frames:
        raised.frames = raised.frames[:MOST_FRAMES][::-1]
        yield raised


def _frame(path: str, line: int, function: str) -> Frame:
    is_library = "/gems/" in path or "/lib/ruby/" in path
    place: Frame = {"filename": path, "abs_path": path, "function": function, "lineno": line}
    return place | {"in_app": not is_library}
