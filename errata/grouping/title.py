"""Title and culprit: what a person reads of a variant. They decide nothing, and may change at any time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from errata.grouping import native_stack
from errata.grouping.frame import is_native
from errata.grouping.jvm_stack import deciding_frame
from errata.grouping.languages import crash, language_of
from errata.grouping.languages.java import JAVA
from errata.grouping.languages.native import NATIVE, own_name
from errata.grouping.shape import ExceptionShape, FrameShape
from errata.grouping.text import text_of
from errata.shortened import shortened

MAX_TITLE = 250
MAX_VALUE = 4096

_NO_NAME = "<unknown>"
# Raised around what went wrong by those who ran it, with no word of their own.
_WRAPPERS = frozenset(
    (
        "ExecutionException CompletionException InvocationTargetException UndeclaredThrowableException "
        "UncheckedExecutionException PrivilegedActionException ExecutionError TargetInvocationException "
        "AggregateException ExceptionInInitializerError WrappedException"
    ).split()
)
_CAUSE_AS_TEXT = re.compile(r"(?:[a-z_$][\w$]*\.)*[A-Z][\w$]*(?:Exception|Error|Throwable)\b")
_LOG_HEAD = re.compile(
    r"[\[(]?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?"
    r"(?:Z| ?[+-]\d\d:?\d\d| UTC)?[\])]?[:,]?\s+"
    r"(?:[\[(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)[\])]?[:\s]\s*)?(?:[-:|]\s+)?"
)
_NOT_AN_ERROR = re.compile(
    r"Non-Error (?:promise rejection|exception) captured with value: (?P<value>.+)"
    r"|(?:Non-Error (?:promise rejection|exception)|Object|'?\w{1,64}'?) captured "
    r"(?:as (?:promise rejection|exception) )?with keys: (?P<keys>.+)",
    re.DOTALL,
)
# A crash whose signal and code are unknown, as reporters of crashes write it.
_NAMELESS = re.compile(
    r"(?i)(?:Fatal Error:? ?)?(?:0x[0-9a-f]{1,16}|unknown(?= ?/))(?: ?/ ?(?:0x[0-9a-f]{1,16}|unknown))?"
)
_ANSI = re.compile(r"\x1b\[[0-9;]{0,16}[A-Za-z]")
_CONVERSION = re.compile(
    r"%(?:\((?P<key>\w{1,64})\)|(?P<place>\d)\$)?[-#0 +,]{0,5}[0-9*]{0,5}(?:\.[0-9*]{1,5})?"
    r"[diouxXeEfFgGcrsaOvqtT]"
    r"|%%|\{(?P<name>[\w.]{0,64})(?:![rsa])?(?::[^{}]{0,32})?\}"
)


def title(
    platform: str, shown: Mapping[str, Any], exception: ExceptionShape, place: FrameShape | None
) -> str:
    """Of the exception that is shown; `place` is its culprit's frame."""
    value = text_of(shown.get("value"), MAX_VALUE)
    mechanism = shown.get("mechanism")
    is_synthetic = isinstance(mechanism, dict) and mechanism.get("synthetic") is True
    is_native_crash = language_of(platform) is NATIVE or is_synthetic
    is_nameless = bool(_NAMELESS.fullmatch(exception.type or value))
    if is_nameless or (is_native_crash and crash.is_fault(exception.type)):
        function = _function(platform, place)
        if not function:
            return titled(exception.type, value)
        return titled(function, "Fatal Error" if _NAMELESS.fullmatch(value) else value or exception.type)
    match = _NOT_AN_ERROR.fullmatch(value) if " captured " in value else None
    if match:
        return titled(exception.type, match["value"] or f"object with keys {match['keys']}")
    if is_synthetic and (not value or not exception.type):
        return titled("", value) if value else _function(platform, place) or titled(exception.type, "")
    return titled(exception.type, value)


def titled(type_: str, value: str) -> str:
    """`type: first line with text`, without what a logger puts before each line."""
    if "\x1b" in value:
        value = _ANSI.sub("", value)
    line = next((line.strip() for line in value.splitlines() if line and not line.isspace()), "")
    if not type_ and (head := _LOG_HEAD.match(line)):
        line = line[head.end() :] or line
    found = f"{type_}: {line}" if type_ and line else type_ or line or _NO_NAME
    return shortened(found, MAX_TITLE)


def shown_exception(sent: Sequence[Mapping[str, Any]], exceptions: Sequence[ExceptionShape]) -> int:
    """The number of what was raised; of the exception below, where that is a mere wrapper of it."""
    number = len(exceptions) - 1
    while number > 0 and _is_wrapper(exceptions[number], sent[number], exceptions[number - 1]):
        number -= 1
        while number > 0 and exceptions[number].is_suppressed:
            number -= 1
    return number


def _is_wrapper(exception: ExceptionShape, sent: Mapping[str, Any], cause: ExceptionShape) -> bool:
    if exception.type in _WRAPPERS and not exception.is_group:
        return True
    value = text_of(sent.get("value"), MAX_VALUE)
    # `new RuntimeException(cause)` has the cause's own text as its message.
    return bool(
        exception.type in ("RuntimeException", "Error", "IllegalStateException", "ServletException")
        and _CAUSE_AS_TEXT.match(value)
        and cause.type.rpartition("$")[2] in value.partition(":")[0]
    )


def culprit(platform: str, frame: FrameShape | None) -> str:
    if frame is None:
        return ""
    where, function = _names(platform, frame)
    return f"{where} in {function}" if where and function else where or function


def culprit_frame(platform: str, frames: Sequence[FrameShape]) -> FrameShape | None:
    """The innermost frame that is the application's own, else the innermost that says anything."""
    language = language_of(platform)
    listed = tuple(frames)
    if language is JAVA:
        return deciding_frame(listed)
    if language is NATIVE:
        return native_stack.culprit_of(listed)
    in_app = other = None
    for frame in reversed(listed):
        if is_native(frame):
            continue
        if not frame.in_app:
            other = other or frame
            continue
        if _is_telling(platform, frame):
            return frame
        in_app = in_app or frame
    return in_app or other


@lru_cache(maxsize=4096)
def _is_telling(platform: str, frame: FrameShape) -> bool:
    language = language_of(platform)
    return not language.is_library(frame) and not language.is_generated(frame)


@lru_cache(maxsize=4096)
def _names(platform: str, frame: FrameShape) -> tuple[str, str]:
    """Where a frame lies and what its function is called, as people write them."""
    where, function = frame.module or frame.file, frame.function
    if language_of(platform) is JAVA:
        place, _, function = JAVA.place(frame).rpartition(" ")
        return place or where, function
    if language_of(platform) is NATIVE:
        return where, own_name(function) or function
    return where, function


def _function(platform: str, frame: FrameShape | None) -> str:
    return _names(platform, frame)[1] if frame is not None else ""


def filled(message: str, params: object) -> str:
    """A log message with the arguments that were sent beside it, as far as they are there."""
    named = params if isinstance(params, dict) else {}
    listed = params if isinstance(params, list) else []
    if len(listed) == 1 and isinstance(listed[0], dict):
        named = listed[0]
    place = 0

    def argument(match: re.Match[str]) -> str:
        nonlocal place
        if match[0] == "%%":
            return "%"
        key = match["key"] or match["name"] or ""
        if key and not key.isdecimal():
            return _said(named[key]) if key in named else match[0]
        if key:
            number = int(key) if len(key) < 4 else len(listed)
        elif match["place"]:
            number = int(match["place"]) - 1
        else:
            number, place = place, place + 1
        return _said(listed[number]) if 0 <= number < len(listed) else match[0]

    return _CONVERSION.sub(argument, message)[:MAX_VALUE] if named or listed else message


def _said(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value)
    return text_of(value, MAX_TITLE) or ("…" if isinstance(value, dict | list) else "")
