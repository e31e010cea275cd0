"""One `field:pattern` of a project rule, and what several of them say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from errata.grouping.frame import is_native
from errata.grouping.glob import Glob, glob, path_glob
from errata.grouping.sent_fields import sent_field
from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape
from errata.grouping.template import is_kept_as_written
from errata.grouping.text import text_of


class Scope(Enum):
    """What a field belongs to."""

    FRAME = "frame"
    EXCEPTION = "exception"
    SHAPE = "shape"
    # Kept in the shape where nothing was raised.
    LOG = "log"
    EVENT = "event"


SCOPES: Mapping[str, Scope] = {
    "module": Scope.FRAME,
    "function": Scope.FRAME,
    "path": Scope.FRAME,
    "app": Scope.FRAME,
    "type": Scope.EXCEPTION,
    "message": Scope.EXCEPTION,
    "platform": Scope.SHAPE,
    "family": Scope.SHAPE,
    "fingerprint": Scope.SHAPE,
    "logger": Scope.LOG,
    "level": Scope.LOG,
}
_IGNORES_CASE = frozenset(
    {"message", "level", "platform", "family", "app", "environment", "method", "handled"}
)
_FAMILIES = {
    "javascript": "javascript",
    "node": "javascript",
    "native": "native",
    "c": "native",
    "cocoa": "native",
    "objc": "native",
    "swift": "native",
    "rust": "native",
}
MAX_RAW = 4096


@dataclass(frozen=True, slots=True)
class Matcher:
    name: str
    pattern: str
    negated: bool = False
    scope: Scope = field(init=False, compare=False)
    _fits: Glob = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        scope = SCOPES.get(self.name, Scope.EVENT)
        if self.name == "message" and not is_kept_as_written(self.pattern):
            scope = Scope.EVENT  # its digits, quotes and paths are no longer in a template
        fits = path_glob(self.pattern) if self.name == "path" else None
        ignore_case = self.name in _IGNORES_CASE or scope is Scope.EVENT
        object.__setattr__(self, "scope", scope)
        object.__setattr__(self, "_fits", fits or glob(self.pattern, ignore_case=ignore_case))

    def __str__(self) -> str:
        pattern = self.pattern.replace("\\", "\\\\").replace('"', '\\"')
        return f'{"!" * self.negated}{self.name}:"{pattern}"'

    def fits_frame(self, frame: FrameShape) -> bool:
        if self.name == "module":
            return self._fits(frame.module)
        if self.name == "function":
            return self._fits(frame.function)
        if self.name == "path":
            return self._fits(frame.file)
        return self._fits("yes" if frame.in_app else "no")

    def fits_exception(self, item: ExceptionShape | None, template: str) -> bool:
        """`item` is None where nothing was raised."""
        if self.name == "message":
            return self._fits(template)
        if item is None:
            return False
        return self._fits(item.type) or bool(item.module and self._fits(f"{item.module}.{item.type}"))

    def fits_shape(self, shape: VariantShape) -> bool:
        if self.name == "fingerprint":
            return any(self._fits(part) for part in shape.fingerprint)
        if self.name == "platform":
            return self._fits(shape.platform)
        if self.name == "family":
            return self._fits(_FAMILIES.get(shape.platform, "other"))
        return self._fits(shape.logger if self.name == "logger" else shape.level)

    def fits_event(self, payload: Mapping[str, Any], value: str) -> bool:
        return self._fits(value[:MAX_RAW] if self.name == "message" else sent_field(payload, self.name))


@dataclass(frozen=True, slots=True)
class Condition:
    """All of its matchers hold; those of one kind speak of the same frame, and of the same exception."""

    matchers: tuple[Matcher, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.matchers))

    def reads_event(self, shape: VariantShape) -> bool:
        return any(_reads_event(matcher, shape) for matcher in self.matchers)

    def holds(self, shape: VariantShape, payload: Mapping[str, Any] | None = None, value: str = "") -> bool:
        """For a condition that reads the event, `payload` and the message as sent are needed."""
        of_event = [matcher for matcher in self.matchers if _reads_event(matcher, shape)]
        if of_event and payload is None:
            return False
        rest = [matcher for matcher in self.matchers if matcher not in of_event]
        return (
            all(matcher.fits_event(payload or {}, value) is not matcher.negated for matcher in of_event)
            and _shape_holds([item for item in rest if item.scope in (Scope.SHAPE, Scope.LOG)], shape)
            and _exception_holds([item for item in rest if item.scope is Scope.EXCEPTION], shape)
            and _frame_holds([item for item in rest if item.scope is Scope.FRAME], shape)
        )


def _reads_event(matcher: Matcher, shape: VariantShape) -> bool:
    return matcher.scope is Scope.EVENT or (matcher.scope is Scope.LOG and bool(shape.exceptions))


def _shape_holds(matchers: Iterable[Matcher], shape: VariantShape) -> bool:
    return all(matcher.fits_shape(shape) is not matcher.negated for matcher in matchers)


def _exception_holds(matchers: list[Matcher], shape: VariantShape) -> bool:
    if not matchers:
        return True
    # Only the message of what was raised is kept.
    sentences: list[tuple[ExceptionShape | None, str]] = [(item, "") for item in shape.exceptions[:-1]]
    sentences.append((shape.exceptions[-1] if shape.exceptions else None, shape.template))
    if any(matcher.name == "message" for matcher in matchers):
        sentences = sentences[-1:]
    return _some_or_none(
        matchers, [[matcher.fits_exception(*one) for matcher in matchers] for one in sentences]
    )


def _frame_holds(matchers: list[Matcher], shape: VariantShape) -> bool:
    if not matchers:
        return True
    frames = [frame for item in shape.exceptions for frame in item.frames] + list(shape.frames)
    return _some_or_none(matchers, ([matcher.fits_frame(frame) for matcher in matchers] for frame in frames))


def _some_or_none(matchers: list[Matcher], candidates: Iterable[list[bool]]) -> bool:
    """One candidate fits them all; where all are negated, no candidate fits any."""
    if all(matcher.negated for matcher in matchers):
        return not any(any(fits) for fits in candidates)
    return any(
        all(fit is not matcher.negated for fit, matcher in zip(fits, matchers, strict=True))
        for fits in candidates
    )


def shape_field(shape: VariantShape, name: str) -> str:
    """What `{{ name }}` of a rule's fingerprint stands for, as far as the shape knows it."""
    raised = shape.exceptions[-1] if shape.exceptions else None
    if name == "type":
        return raised.type if raised else ""
    if name == "message":
        return shape.template
    if name in ("platform", "logger", "level"):
        return text_of(getattr(shape, name), MAX_RAW)
    culprit = culprit_of(raised.frames if raised else shape.frames)
    if culprit is None:
        return ""
    return {"module": culprit.module, "function": culprit.function, "path": culprit.file}[name]


def culprit_of(frames: tuple[FrameShape, ...]) -> FrameShape | None:
    """The innermost in-app frame, else the innermost."""
    own = [frame for frame in frames if frame.in_app and not is_native(frame)]
    return own[-1] if own else frames[-1] if frames else None
