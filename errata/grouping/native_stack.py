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
    """None for what is no crash, or has no frame of the program."""
    raised = shape.exceptions[-1]
    if not crash.is_fault(raised.type):
        return None
    own = own_frames(raised.frames, decided)
    places = {NATIVE.place(raised.frames[number]): number for number in own}
    counted = list(places)[:INNERMOST]
    if not counted:
        return _of_driver(shape, raised)
    said = shape.template if crash.is_assertion(shape.template) else ""
    used = {places[place]: place for place in counted}
    why: Explanation = {
        "rule": "in-app frames" if raised.frames[own[0]].in_app else "all frames",
        "types": [_CRASH],
        "frames": [
            _explained(raised, number, frame, used, raised.frames[own[0]].in_app)
            for number, frame in enumerate(raised.frames)
        ],
        "source_lines": [],
        "template": said,
        "minified": False,
    }
    return ("app" if raised.frames[own[0]].in_app else "system", _CRASH, _digest([counted, said])), why


def own_frames(frames: tuple[FrameShape, ...], decided: frozenset[Place] = frozenset()) -> list[int]:
    """Numbers of the program's frames, innermost first, without those that end it on purpose.

    Where no frame is flagged and none has a file, all but those of systems and drivers are the program's.
    """
    flagged: list[int] = []
    others: list[int] = []
    for number in range(len(frames) - 1, -1, -1):
        frame = frames[number]
        if _key(frame) in decided:
            flagged += [number] if frame.in_app else []
        elif crash.may_be_own(frame):
            (flagged if frame.in_app else others).append(number)
    own = flagged or others
    return [number for number in own if not crash.ends_on_purpose(frames[number])] or own


def _of_driver(shape: VariantShape, raised: ExceptionShape) -> tuple[tuple[str, ...], Explanation] | None:
    """Where a driver crashed in a thread of its own, its functions are other ones on each machine."""
    driver = [frame for frame in raised.frames if crash.is_driver(frame)]
    if not driver or any(
        NATIVE.place(frame) and not crash.is_system(frame) and not crash.is_driver(frame)
        for frame in raised.frames
    ):
        return None
    why: Explanation = {
        "rule": "all frames",
        "types": [_CRASH],
        "frames": [
            {"exception": raised.type, "module": frame.module, "function": frame.function, "file": frame.file}
            | {"used_as": "", "left_out": "of a driver" if crash.is_driver(frame) else "of the system"}
            for frame in raised.frames
        ],
        "source_lines": [],
        "template": "",
        "minified": False,
    }
    return ("system", _CRASH, _digest("driver")), why


def _explained(
    raised: ExceptionShape,
    number: int,
    frame: FrameShape,
    used: dict[int, str],
    in_app_only: bool,
) -> Explanation:
    one: Explanation = {"exception": raised.type, "module": frame.module, "function": frame.function}
    one |= {"file": frame.file, "used_as": used.get(number, "")}
    if number in used:
        return one
    if crash.is_system(frame):
        left_out = "of the system"
    elif crash.is_driver(frame):
        left_out = "of a driver"
    elif not NATIVE.place(frame):
        left_out = "nothing in it that lasts"
    elif not frame.in_app and in_app_only:
        left_out = "not in-app"
    elif not crash.may_be_own(frame):
        left_out = "of a known library"
    elif crash.ends_on_purpose(frame):
        left_out = "ends the program"
    else:
        left_out = f"further out than the innermost {INNERMOST}"
    return one | {"left_out": left_out}


def _key(frame: FrameShape) -> Place:
    return frame.module, frame.function, frame.file


def _digest(value: object) -> str:
    return f"{hash_of(msgspec.json.encode(value)):016x}"
