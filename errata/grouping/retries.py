"""What version 4 leaves out of a chain: functions that call again what failed, and what they raise."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import structs

from errata.grouping.languages.minified import is_minified
from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape
from errata.grouping.version_2 import Explanation, Place

_PART = re.compile(r"[A-Za-z_-]+")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_RETRY = frozenset({"retry", "retries", "retrying", "retrier", "retryer"})
# What such a function is called beside that. `retry_payment` says what it pays.
_BESIDE = frozenset(
    (
        "with on do run call fn func function wrapper wrapped async sync loop error errors failure "
        "exception times until backoff policy execute exec invoke handler decorator inner apply auto "
        "exponential simple helper utils util go p max operation task action attempt attempts"
    ).split()
)
# `RetryError`, `MaxRetriesExceeded`, `TooManyAttempts`.
_EXHAUSTED = re.compile(
    r"Retr(?:y|ies)(?![a-z])|(?:Max|TooMany)Attempts?(?![a-z])|Attempts?(?:Exceeded|Exhausted)"
)


@lru_cache(maxsize=4096)
def is_retry(frame: FrameShape) -> bool:
    """`with_retry`, `retry.<locals>.wrapper`, `RetryPolicy::execute`, or any function of `shop/retry.py`."""
    stem = frame.file.rpartition("/")[2].partition(".")[0]
    module = frame.module.replace("/", ".").rpartition(".")[2]
    return any(_names_retry(part) for part in (*_PART.findall(frame.function), module, stem))


def _names_retry(part: str) -> bool:
    words = [word.lower() for word in _WORD.findall(part)]
    if len(words) > 1 and words[-2] == "with" and words[-1] in _RETRY:  # `chargeCardWithRetry`
        return True
    return not _RETRY.isdisjoint(words) and set(words) <= _RETRY | _BESIDE


def gives_up(exception: ExceptionShape) -> bool:
    """Raised around the last failure by the function that repeated the call."""
    if _EXHAUSTED.search(exception.type):
        return True
    own = [frame for frame in exception.frames if frame.in_app] or exception.frames
    return bool(own) and is_retry(own[-1])


def without_retries(
    shape: VariantShape, decided: frozenset[Place], left_out: list[Explanation]
) -> VariantShape:
    """The chain as it would be had the first call's failure been raised."""
    chain = list(shape.exceptions)
    template = shape.template
    while len(chain) > 1 and not chain[-1].is_group and not chain[-2].is_group and gives_up(chain[-1]):
        outer, cause = chain.pop(), chain.pop()
        template = cause.template
        # Some languages list a cause's stack only from where it was caught.
        chain.append(structs.replace(cause, template="", frames=(*outer.frames, *cause.frames)))
    kept: list[ExceptionShape] = []
    # Members of a group have no order, and minifiers give many functions one name.
    is_told = not any(item.is_group for item in chain) and not is_minified(shape)
    for item in reversed([_without_callers(item, decided, left_out) for item in chain]):
        if is_told and kept and _failure(item) == _failure(kept[-1]):
            left_out += [_explained(item, frame) for frame in item.frames]
        else:
            kept.append(item)
    kept.reverse()
    if tuple(kept) == shape.exceptions:
        return shape
    return structs.replace(shape, exceptions=tuple(kept), template=template)


def _without_callers(
    item: ExceptionShape, decided: frozenset[Place], left_out: list[Explanation]
) -> ExceptionShape:
    """Without functions that only call again, but never without the place of the error."""
    own = [number for number, frame in enumerate(item.frames) if frame.in_app]
    last = own[-1] if own else len(item.frames) - 1
    kept = []
    for number, frame in enumerate(item.frames):
        # A project's rule that a frame is the application's wins.
        is_wanted = frame.in_app and (frame.module, frame.function, frame.file) in decided
        is_counted = frame.in_app or not own
        if number == last or is_wanted or not is_counted or not is_retry(frame):
            kept.append(frame)
        else:
            left_out.append(_explained(item, frame))
    return structs.replace(item, frames=tuple(kept)) if len(kept) < len(item.frames) else item


def _failure(item: ExceptionShape) -> object:
    own = [frame for frame in item.frames if frame.in_app] or item.frames
    return (item.type, item.line, own[-1].module, own[-1].function, own[-1].file) if own else item


def _explained(item: ExceptionShape, frame: FrameShape) -> Explanation:
    one = {"exception": item.type, "module": frame.module, "function": frame.function, "file": frame.file}
    return one | {"used_as": "", "left_out": "calls again what failed"}
