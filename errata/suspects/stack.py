"""The files of the application in the stack of an event."""

from collections.abc import Iterator, Mapping
from typing import Any

from errata.grouping.frame import frame_of

StackFile = str
MOST_FILES = 64


def stack_files(payload: Mapping[str, Any]) -> list[StackFile]:
    """Each once, the nearest to the error first: of the exception raised last, then of its causes."""
    return list(dict.fromkeys(_files(payload)))[:MOST_FILES]


def _files(payload: Mapping[str, Any]) -> Iterator[StackFile]:
    for raised in reversed(_values(payload.get("exception"))):
        for frame in reversed(_frames(raised)):
            if frame_of(frame).in_app and (file := _file(frame)):
                yield file


def _file(frame: Mapping[str, Any]) -> StackFile:
    """As sent; a JVM names the file alone, and its folders by the module."""
    file, module = frame.get("filename") or frame.get("abs_path"), frame.get("module")
    if not isinstance(file, str):
        return ""
    if isinstance(module, str) and "." in module and not {"/", "\\"} & set(file):
        return f"{module.rpartition('.')[0].replace('.', '/')}/{file}"
    return file


def _values(exception: object) -> list[Mapping[str, Any]]:
    values = exception.get("values") if isinstance(exception, dict) else exception
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def _frames(raised: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    stack = raised.get("stacktrace")
    frames = stack.get("frames") if isinstance(stack, dict) else None
    return [one for one in frames if isinstance(one, dict)] if isinstance(frames, list) else []
