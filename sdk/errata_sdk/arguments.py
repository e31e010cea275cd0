"""A frame's arguments, told from its other local variables."""

import inspect
import os
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

Place = tuple[str | None, str, int]


def name_arguments(event: dict[str, Any], exc_info: Any) -> None:
    """Give every frame with local variables the names of those that are its function's arguments.

    The Sentry SDK keeps the values and forgets which are arguments; the code objects still know.
    """
    frames = [frame for frame in _frames(event) if frame.get("vars") and "arguments" not in frame]
    if not frames:
        return
    # The running stack holds the frames of a message, and those above a traceback's first one.
    codes = dict(_running_codes())
    codes.update(_raised_codes(exc_info))
    for frame in frames:
        code = codes.get((frame.get("abs_path"), frame.get("function", ""), frame.get("lineno", 0)))
        if code is not None:
            frame["arguments"] = [name for name in argument_names(code) if name in frame["vars"]]


def argument_names(code: CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    # A comprehension's or generator's only argument is the iterator, which nobody wrote.
    return tuple(name for name in code.co_varnames[:count] if not name.startswith("."))


def _frames(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for interface in ("exception", "threads"):
        for value in (event.get(interface) or {}).get("values") or ():
            yield from ((value or {}).get("stacktrace") or {}).get("frames") or ()


def _raised_codes(exc_info: Any) -> Iterator[tuple[Place, CodeType]]:
    """The places of an exception's traceback, of its causes and of its group's members."""
    waiting: list[BaseException] = []
    seen: set[int] = set()
    if isinstance(exc_info, tuple) and len(exc_info) == 3:
        if isinstance(exc_info[2], TracebackType):
            yield from _traceback_codes(exc_info[2])
        if isinstance(exc_info[1], BaseException):
            waiting.append(exc_info[1])
    while waiting:
        error = waiting.pop()
        if id(error) in seen:
            continue
        seen.add(id(error))
        yield from _traceback_codes(error.__traceback__)
        waiting += [linked for linked in (error.__cause__, error.__context__) if linked is not None]
        if isinstance(error, BaseExceptionGroup):
            waiting += error.exceptions


def _traceback_codes(traceback: TracebackType | None) -> Iterator[tuple[Place, CodeType]]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        yield _place(code, traceback.tb_lineno), code
        traceback = traceback.tb_next


def _running_codes() -> Iterator[tuple[Place, CodeType]]:
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        yield _place(frame.f_code, frame.f_lineno), frame.f_code
        frame = frame.f_back


def _place(code: CodeType, line: int) -> Place:
    # The same spelling as the SDK's own: the absolute path, the bare name, the line.
    return os.path.abspath(code.co_filename), code.co_name, line  # noqa: PTH100
