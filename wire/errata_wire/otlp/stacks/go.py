"""What `debug.Stack` writes in Go: calls without the error, which is told beside them."""

import re
from collections.abc import Iterator

from errata_wire.otlp.raised import MOST_FRAMES, Frame, Raised

MOST_CHARACTERS = 1_000

_PLACE = re.compile(r"\t(.+\.(?:go|s)):(\d{1,9})(?: \+0x[0-9a-f]+)?")


def exceptions(stack: str) -> Iterator[Raised]:
    frames: list[Frame] = []
    called = ""
    for line in stack.split("\n"):
        if match := _PLACE.fullmatch(line):
            if called:
                frames.append(_frame(called, match[1], int(match[2])))
            called = ""
        elif line.endswith(")") and line[0] != "\t":
            called = line[:MOST_CHARACTERS].rpartition("(")[0]
    # What tells the stack stands above what failed.
    inner = [number for number, frame in enumerate(frames) if _is_panic(frame)]
    frames = frames[inner[-1] + 1 :] if inner else frames
    kept = [frame for frame in frames if not frame["module"].startswith(("runtime", "go.opentelemetry"))]
    if kept:
        yield Raised(frames=kept[:MOST_FRAMES][::-1])


def _frame(called: str, path: str, line: int) -> Frame:
    folder, slash, rest = called.rpartition("/")
    package, _, function = rest.partition(".")
    is_library = "/pkg/mod/" in path or "/go/src/" in path or "/vendor/" in path
    return {
        "module": f"{folder}{slash}{package}",
        "function": function,
        "filename": path,
        "abs_path": path,
        "lineno": line,
        "in_app": not is_library,
    }


def _is_panic(frame: Frame) -> bool:
    return (frame["module"], frame["function"]) in (("panic", ""), ("runtime", "gopanic"))
