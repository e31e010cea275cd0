"""A Java or Kotlin stack under versions 3 and 4.

Executors, reflection, proxies and services wrap what went wrong in exceptions of their own, so the deepest
cause decides: its type, the place it was raised in and the first words of its message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import msgspec

from errata.grouping.frame import is_native
from errata.grouping.languages import jvm
from errata.grouping.languages.java import JAVA
from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape, hash_of
from errata.grouping.version_2 import Explanation, Place

# Without a frame of the application the way into a library tells the bugs apart.
INNERMOST_OF_LIBRARIES = 3
_OVERFLOW = "StackOverflowError"


class _Rank(IntEnum):
    """How near to the application a frame is: only frames of a chain's highest rank count."""

    NOTHING = 0
    RUNTIME = 1
    LIBRARY = 2
    # By the SDK's word: all there is where the people of a library look at its own errors.
    IN_APP_LIBRARY = 3
    OWN = 4


@dataclass(frozen=True, slots=True)
class JvmRules:
    """What versions decide differently. Frames of rank `own` and above are told by one place."""

    own: _Rank
    knows_libraries: bool
    said: Callable[[str, str, str], str]


VERSION_3 = JvmRules(_Rank.OWN, False, lambda type_, template, _place: jvm.said(type_, template))
# A library's people look at its errors as others look at theirs.
VERSION_4 = JvmRules(_Rank.IN_APP_LIBRARY, True, jvm.said_at)

_LEFT_OUT = {
    _Rank.NOTHING: "generated",
    _Rank.RUNTIME: "of the platform",
    _Rank.LIBRARY: "of a known library",
    _Rank.IN_APP_LIBRARY: "of a known library",
    _Rank.OWN: "further out",
}
_CHECK = "refuses for its caller"
_NONE: frozenset[Place] = frozenset()


def fingerprint(
    shape: VariantShape, decided: frozenset[Place], rules: JvmRules = VERSION_3
) -> tuple[tuple[str, ...], Explanation] | None:
    """None where no frame says anything."""
    chain = [item for item in shape.exceptions if not item.is_suppressed] or list(shape.exceptions)
    ranks = [[_rank(frame, decided, rules) for frame in item.frames] for item in chain]
    rank = max((max(of_item, default=_Rank.NOTHING) for of_item in ranks), default=_Rank.NOTHING)
    if rank is _Rank.NOTHING:
        return None
    deciding = next(number for number, of_item in enumerate(ranks) if rank in of_item)
    places, reasons = _places(chain[deciding], ranks[deciding], rank, is_own=rank >= rules.own)
    cause = chain[0]
    template = shape.template if cause is shape.exceptions[-1] else cause.template
    words = rules.said(cause.type, template, next(iter(places.values()), ""))
    in_app_only = rank >= _Rank.IN_APP_LIBRARY
    why: Explanation = {
        "rule": "in-app frames" if in_app_only else "all frames",
        "types": [cause.type],
        "frames": _explained(shape, chain[deciding], ranks[deciding], places, reasons),
        "source_lines": [],
        "template": words,
        "minified": False,
    }
    counted = list(places.values()) if cause.type != _OVERFLOW else sorted(places.values())
    digest = f"{hash_of(msgspec.json.encode([counted, words])):016x}"
    return ("app" if in_app_only else "system", cause.type, digest), why


_NEVER_SHOWN = re.compile(
    r"(?:java\.lang\.(?:Thread|reflect)|java\.util\.concurrent|android\.os\.(?:AsyncTask|Handler|Looper)"
    r"|com\.android\.internal\.os|dalvik|android\.app\.ActivityThread|kotlin\.coroutines|kotlinx\.coroutines)\b"
)


def deciding_frame(frames: tuple[FrameShape, ...]) -> FrameShape | None:
    """The frame whose place decides; None where all are of the machinery that runs programs."""
    best, of_rank = None, _Rank.NOTHING
    check = None
    for frame in reversed(frames):
        rank, is_check = _shown_as(frame)
        if rank is _Rank.OWN:
            if not is_check:
                return frame
            check = frame
        elif rank > of_rank:
            best, of_rank = frame, rank
    return check or best


# Events of one program repeat its frames.
@lru_cache(maxsize=4096)
def _shown_as(frame: FrameShape) -> tuple[_Rank, bool]:
    rank = _Rank.NOTHING if _NEVER_SHOWN.match(frame.module) else _rank(frame, _NONE, VERSION_4)
    return rank, rank is _Rank.OWN and jvm.is_check(JAVA.place(frame))


def _rank(frame: FrameShape, decided: frozenset[Place], rules: JvmRules) -> _Rank:
    if (frame.module, frame.function, frame.file) in decided:
        return _Rank.OWN if frame.in_app else _Rank.RUNTIME
    if jvm.is_runtime(frame.module):
        return _Rank.RUNTIME
    if JAVA.is_generated(frame) or (is_native(frame) and not frame.module):
        return _Rank.NOTHING
    if not frame.in_app:
        return _Rank.LIBRARY
    is_library = JAVA.is_library(frame) or (rules.knows_libraries and jvm.is_known_library(frame.module))
    return _Rank.IN_APP_LIBRARY if is_library else _Rank.OWN


def _places(
    item: ExceptionShape, ranks: list[_Rank], rank: _Rank, *, is_own: bool
) -> tuple[dict[int, str], dict[int, str]]:
    """The places that count by the number of their frame, innermost first, and why others before do not."""
    places: dict[int, str] = {}
    checks: dict[int, str] = {}
    most = 1 if is_own else INNERMOST_OF_LIBRARIES
    if item.type == _OVERFLOW:
        cycle = {
            n: JAVA.place(frame) for n, frame in enumerate(item.frames) if ranks[n] is rank and frame.repeats
        }
        if cycle:
            return {n: place for place, n in {place: n for n, place in cycle.items()}.items()}, {}
    for number in range(len(item.frames) - 1, -1, -1):
        if ranks[number] is not rank:
            continue
        place = JAVA.place(item.frames[number])
        if place in places.values() or place in checks.values():
            continue
        if is_own and not places and jvm.is_check(place):
            checks[number] = place
            continue
        places[number] = place
        if is_own and len(places) == 1 and jvm.is_general(place):
            most = 2
        if len(places) == most:
            break
    if not places:  # nobody of the application called it
        return dict(list(checks.items())[-1:]), {}
    return places, dict.fromkeys(checks, _CHECK)


def _explained(
    shape: VariantShape,
    deciding: ExceptionShape,
    ranks: list[_Rank],
    places: dict[int, str],
    reasons: dict[int, str],
) -> list[Explanation]:
    explained: list[Explanation] = []
    for item in shape.exceptions:
        other = "suppressed" if item.is_suppressed else "not the deepest cause"
        for number, frame in enumerate(item.frames):
            one = {"exception": item.type, "module": frame.module, "function": frame.function}
            one["file"] = frame.file
            place = places.get(number, "") if item is deciding else ""
            one["used_as"] = place
            if item is not deciding:
                one["left_out"] = other
            elif not place:
                one["left_out"] = reasons.get(number) or _LEFT_OUT[ranks[number]]
            explained.append(one)
    return explained
