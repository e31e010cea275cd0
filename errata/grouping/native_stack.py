"""A native crash under version 3: by the program's innermost functions, however its system crashes."""

from __future__ import annotations

import msgspec

from errata.grouping.languages import crash
from errata.grouping.languages.native import NATIVE
from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape, hash_of
from errata.grouping.version_2 import Explanation, Place

# Compilers inline the functions between the bug and its thread in their own way.
INNERMOST = 2
_CRASH = "crash"


def fingerprint(shape: VariantShape, decided: frozenset[Place]) -> tuple[tuple[str, ...], Explanation] | None:
    """None for what is no crash, or has neither a frame of the program nor of a driver."""
    raised = shape.exceptions[-1]
    if not crash.is_fault(raised.type):
        return None
    kinds = [_kind(frame, decided) for frame in raised.frames]
    own = _own(raised.frames, kinds)
    if not own and ("of a driver" not in kinds or "of a known library" in kinds):
        return None
    in_app_only = bool(own) and raised.frames[own[0]].in_app
    used: dict[str, int] = {}
    for number in own:
        if len(used) < INNERMOST:
            used.setdefault(NATIVE.place(raised.frames[number]), number)
    said = shape.template if own and crash.is_assertion(shape.template) else ""
    why: Explanation = {
        "rule": "in-app frames" if in_app_only else "all frames",
        "types": [_CRASH],
        "frames": _explained(raised, kinds, {number: place for place, number in used.items()}, in_app_only),
        "source_lines": [],
        "template": said,
        "minified": False,
    }
    # Where a driver crashed in a thread of its own, its functions are other ones on each machine.
    digest = hash_of(msgspec.json.encode([list(used), said] if own else "driver"))
    return ("app" if in_app_only else "system", _CRASH, f"{digest:016x}"), why


def culprit_of(frames: tuple[FrameShape, ...]) -> FrameShape | None:
    """The innermost frame of the program, else of a library."""
    kinds = [crash.kind_of(frame) for frame in frames]
    own = _own(frames, kinds)
    others = [number for number, kind in enumerate(kinds) if kind == "of a known library"]
    return frames[own[0]] if own else frames[others[-1]] if others else None


def _own(frames: tuple[FrameShape, ...], kinds: list[str]) -> list[int]:
    """Numbers of the program's frames, innermost first, without those that end it on purpose.

    Where no frame is flagged and none has a file, all but those of systems and drivers are the program's.
    """
    may_be = [number for number in range(len(frames) - 1, -1, -1) if not kinds[number]]
    own = [number for number in may_be if frames[number].in_app] or may_be
    return [number for number in own if not crash.ends_on_purpose(frames[number])] or own


def _kind(frame: FrameShape, decided: frozenset[Place]) -> str:
    if decided and (frame.module, frame.function, frame.file) in decided:
        return "" if frame.in_app else "not in-app"
    return crash.kind_of(frame)


def _explained(
    raised: ExceptionShape, kinds: list[str], used: dict[int, str], in_app_only: bool
) -> list[Explanation]:
    explained: list[Explanation] = []
    for number, (frame, kind) in enumerate(zip(raised.frames, kinds, strict=True)):
        one: Explanation = {"exception": raised.type, "module": frame.module, "function": frame.function}
        one |= {"file": frame.file, "used_as": used.get(number, "")}
        if number not in used:
            if not kind and in_app_only and not frame.in_app:
                kind = "not in-app"
            elif not kind and crash.ends_on_purpose(frame):
                kind = "ends the program"
            one["left_out"] = kind or f"further out than the innermost {INNERMOST}"
        explained.append(one)
    return explained
