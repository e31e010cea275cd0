"""Stacks of V8 (v8.dev/docs/stack-trace-api), of Node and of browsers built on it."""

import re
from collections.abc import Iterator

from errata_wire.otlp.raised import MOST_FRAMES, Frame, Raised

_RAISED = re.compile(r"(?:Uncaught )?([A-Za-z_$][\w$.]{0,200})(?: \[[\w-]+\])?(?:: (.*))?", re.DOTALL)


def exceptions(stack: str) -> Iterator[Raised]:
    frames: list[Frame] = []
    said: list[str] = []
    for line in stack.split("\n"):
        if line.lstrip().startswith("at "):
            frames += _frame(line.strip().removeprefix("at "))
        elif not frames:
            said.append(line)
    match = _RAISED.fullmatch("\n".join(said).strip())
    raised = Raised(match[1], match[2] or "") if match else Raised()
    raised.frames = frames[:MOST_FRAMES][::-1]
    if raised.type or frames:
        yield raised


def _frame(called: str) -> list[Frame]:
    """`price (/app/cart.js:3:26)`, or the place alone; none of a line that names no place in a file."""
    function, is_named, place = called.rpartition(" (")
    parts = (place.removesuffix(")") if is_named else called).rsplit(":", 2)
    path, line, column = parts if len(parts) == 3 else ("", "", "")
    if not (path and line.isdecimal() and column.isdecimal()):
        return []
    path = path.removeprefix("async ").removeprefix("file://")
    is_own = "/node_modules/" not in path and not path.startswith(("node:", "internal/"))
    for word in ("async ", "new ", "Object."):
        function = function.removeprefix(word)
    return [
        {
            "filename": path,
            "abs_path": path,
            "function": function or "?",
            "lineno": int(line[:9]),
            "colno": int(column[:9]),
            "in_app": is_own,
        }
    ]
