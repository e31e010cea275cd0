"""Tracebacks of CPython (docs.python.org/3/library/traceback)."""

import re
from collections.abc import Iterator

from errata_wire.otlp.raised import MOST_FRAMES, Frame, Raised

_FRAME = re.compile(r' {2}File "([^"\n]+)", line (\d{1,9}), in (.+)')
_LINKS = (
    "\nThe above exception was the direct cause of the following exception:\n",
    "\nDuring handling of the above exception, another exception occurred:\n",
)
_RAISED = re.compile(r"([A-Za-z_][\w.<>]{0,250})(?:: ?(.*))?", re.DOTALL)
# Where a program and its libraries are installed: what stands behind is the path of a module.
_LIBRARY = re.compile(r".*/(?:site-packages|dist-packages|lib(?:32|64)?/python\d(?:\.\d+)?)/")
_ROOT = re.compile(
    r"/(?:app|code|workspace|var/task|function|src)/(?:src/)?"
    r"|/(?:srv|opt|usr/src|usr/local/src|var/www|root)/[^/]+/(?:src/)?"
    r"|/home/[^/]+/(?:[^/]+/)?(?:src/)?"
)


def exceptions(stack: str) -> Iterator[Raised]:
    text = stack
    for link in _LINKS[1:]:
        text = text.replace(link, _LINKS[0])
    for part in text.split(_LINKS[0]):
        raised = Raised()
        said: list[str] = []
        lines = part.strip("\n").split("\n")
        for line in lines:
            if match := _FRAME.fullmatch(line):
                raised.frames.append(_frame(match[1], int(match[2]), match[3]))
                said = []
            elif line.startswith("    ") and raised.frames and not said:
                _add_line(raised.frames[-1], line)
            elif not line.startswith(("Traceback (", "  [Previous line repeated")):
                said.append(line)
        if match := _RAISED.fullmatch("\n".join(said).strip()):
            raised.type, raised.value = match[1], match[2] or ""
        if raised.type or raised.frames:
            _name_script(raised.frames)
            raised.frames = raised.frames[-MOST_FRAMES:]
            yield raised


def _name_script(frames: list[Frame]) -> None:
    """The outermost frame of a program is the file that was started, as whose modules it finds those beside
    it."""
    if not frames or frames[0]["function"] != "<module>":
        return
    script = frames[0]["abs_path"]
    root = f"{script.rpartition('/')[0]}/"
    for frame in frames:
        if frame["abs_path"] == script:
            frame["module"] = "__main__"
        elif "module" not in frame and frame["abs_path"].startswith(root):
            frame["filename"] = frame["abs_path"][len(root) :]
            frame["module"] = _module(frame["filename"])


def _frame(path: str, line: int, function: str) -> Frame:
    slashed = path.replace("\\", "/")
    library = _LIBRARY.match(slashed)
    root = library or _ROOT.match(slashed)
    below = slashed[root.end() :] if root else slashed.lstrip("/")
    is_module = root is not None and below.endswith(".py")
    module = _module(below) if is_module else ""
    frame: Frame = {"filename": below, "abs_path": path, "function": function, "lineno": line}
    if module:
        frame["module"] = module
    if not path.startswith("<"):
        frame["in_app"] = library is None
    return frame


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _add_line(frame: Frame, line: str) -> None:
    """The source line below a frame; those below it mark its columns, or continue it."""
    if "context_line" not in frame and line.strip(" ^~"):
        frame["context_line"] = line
