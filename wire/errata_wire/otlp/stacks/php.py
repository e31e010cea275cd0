"""What `Throwable::__toString` writes in PHP, or the form of Java that OpenTelemetry's SDK gives it."""

import re
from collections.abc import Iterator

from errata_wire.otlp.raised import MOST_FRAMES, Frame, Raised
from errata_wire.otlp.stacks import java

_TYPE = re.compile(r"[\\\w]{1,250}")
Call = tuple[str, int, str]
"""File and line of a call, and what was called; empty where PHP names none."""


def exceptions(stack: str) -> Iterator[Raised]:
    return java.exceptions(stack) if "\n\tat " in stack or "\n at " in stack else _printed(stack)


def _printed(stack: str) -> Iterator[Raised]:
    raised: Raised | None = None
    place: Call = ("", 0, "")
    calls: list[Call] = []
    for line in stack.split("\n"):
        if line.startswith("#"):
            calls.append(_call(line))
        elif found := _raised(line):
            yield from _whole(raised, place, calls)
            (raised, place), calls = found, []
    yield from _whole(raised, place, calls)


def _raised(line: str) -> tuple[Raised, Call] | None:
    """`RuntimeException: no discount in /srv/shop/cart.php:3`, a later one behind `Next`."""
    said, is_placed, place = line.removeprefix("Next ").rpartition(" in ")
    type_, _, value = said.partition(": ")
    path, _, number = place.rpartition(":")
    if not (is_placed and path and number.isdecimal() and _TYPE.fullmatch(type_)):
        return None
    return Raised(type_, value), (path, int(number[:9]), "")


def _call(line: str) -> Call:
    """`#0 /srv/shop/cart.php(4): Shop\\Cart->price()`."""
    place, _, called = line.partition(" ")[2].partition(": ")
    path, _, number = place.removesuffix(")").rpartition("(")
    return (path, int(number[:9]), called.partition("(")[0]) if number.isdecimal() else ("", 0, called)


def _whole(raised: Raised | None, place: Call, calls: list[Call]) -> Iterator[Raised]:
    """PHP names the file of each call beside what was called: a frame is the call before it."""
    if raised is None:
        return
    path, line, _ = place
    for next_path, next_line, called in [*calls, ("", 0, "")]:
        if path:
            own = "/vendor/" not in path
            frame: Frame = {"filename": path, "abs_path": path, "function": called or "{main}"}
            raised.frames.append(frame | {"lineno": line, "in_app": own})
        path, line = next_path, next_line
    raised.frames = raised.frames[:MOST_FRAMES][::-1]
    yield raised
