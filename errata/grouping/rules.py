"""A project's own rules: pure functions over shapes, and over events as they arrive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from errata.grouping.explicit import MAX_PART
from errata.grouping.matcher import SCOPES, Condition, Matcher, Scope, culprit_of, shape_field
from errata.grouping.sent_fields import sent_field
from errata.grouping.shape import ExceptionShape, FrameShape, RuleMatch, VariantShape

# More frames than that are looked at anew.
_FRAMES_KEPT = 65_536


@dataclass(frozen=True, slots=True)
class Variable:
    """`{{ name }}` within a part of a fingerprint."""

    name: str

    def reads_event(self, shape: VariantShape) -> bool:
        scope = SCOPES.get(self.name, Scope.EVENT)
        return scope is Scope.EVENT or (scope is Scope.LOG and bool(shape.exceptions))


Part = tuple[str | Variable, ...]
"""Pieces to be joined; `(DEFAULT,)` stands for what the version's rules say."""


@dataclass(frozen=True, slots=True)
class FingerprintRule:
    text: str
    condition: Condition
    parts: tuple[Part, ...]

    def variables(self) -> Iterable[Variable]:
        return (piece for part in self.parts for piece in part if isinstance(piece, Variable))

    def reads_event(self, shape: VariantShape) -> bool:
        return self.condition.reads_event(shape) or any(
            variable.reads_event(shape) for variable in self.variables()
        )

    def decides(self, shape: VariantShape) -> bool:
        if not self.reads_event(shape):
            return self.condition.holds(shape)
        return shape.matched is not None and shape.matched.condition == str(self.condition)

    def fingerprint(self, shape: VariantShape) -> tuple[str, ...]:
        """Its parts filled in, `{{ default }}` left as it is."""
        kept = dict(shape.matched.values) if shape.matched is not None else {}

        def text(piece: str | Variable) -> str:
            if isinstance(piece, str):
                return piece
            return kept.get(piece.name, "") if piece.reads_event(shape) else shape_field(shape, piece.name)

        return tuple("".join(map(text, part))[:MAX_PART] for part in self.parts)


@dataclass(frozen=True, slots=True)
class InAppRule:
    text: str
    matchers: tuple[Matcher, ...]
    in_app: bool

    def fits(self, frame: FrameShape, shape: VariantShape) -> bool:
        return all(
            (matcher.fits_frame(frame) if matcher.scope is Scope.FRAME else matcher.fits_shape(shape))
            is not matcher.negated
            for matcher in self.matchers
        )


Place = tuple[str, str, str]
"""Module, function and file of a frame."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A shape as in-app rules see it, and the rule that spoke about each of its frames, if one did."""

    shape: VariantShape
    rule_of: Mapping[Place, str]


@dataclass(frozen=True)
class GroupingRules:
    """The first fingerprint rule that holds decides, and of the in-app rules the last that fits a frame."""

    fingerprint_rules: tuple[FingerprintRule, ...] = ()
    in_app_rules: tuple[InAppRule, ...] = ()
    _judged: dict[tuple[str, FrameShape], InAppRule | None] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def deciding(self, shape: VariantShape) -> FingerprintRule | None:
        return next((rule for rule in self.fingerprint_rules if rule.decides(shape)), None)

    def match_of_event(self, shape: VariantShape, payload: Mapping[str, Any], value: str) -> RuleMatch | None:
        """The first rule that holds by what only the event says, to be kept in its variant."""
        rules = [rule for rule in self.fingerprint_rules if rule.reads_event(shape)]
        shape = self.with_in_app(shape).shape if rules else shape
        for rule in rules:
            if rule.condition.holds(shape, payload, value):
                names = dict.fromkeys(item.name for item in rule.variables() if item.reads_event(shape))
                values = tuple((name, sent_field(payload, name)[:MAX_PART]) for name in names)
                return RuleMatch(str(rule.condition), values)
        return None

    def with_in_app(self, shape: VariantShape) -> Judged:
        rule_of: dict[Place, str] = {}
        if not self.in_app_rules:
            return Judged(shape, rule_of)
        exceptions = tuple(self._judged_exception(item, shape, rule_of) for item in shape.exceptions)
        frames = self._judged_frames(shape.frames, shape, rule_of)
        judged = replace(shape, exceptions=exceptions, frames=frames) if rule_of else shape
        return Judged(judged, rule_of)

    def _judged_exception(
        self, item: ExceptionShape, shape: VariantShape, rule_of: dict[Place, str]
    ) -> ExceptionShape:
        frames = self._judged_frames(item.frames, shape, rule_of)
        # The line that was sent is of the frame the SDK took for the culprit.
        is_same = _place(culprit_of(item.frames)) == _place(culprit_of(frames))
        return replace(item, frames=frames, line=item.line if is_same else "")

    def _judged_frames(
        self, frames: tuple[FrameShape, ...], shape: VariantShape, rule_of: dict[Place, str]
    ) -> tuple[FrameShape, ...]:
        judged = []
        for frame in frames:
            rule = self.rule_of(frame, shape)
            if rule is not None:
                rule_of[frame.module, frame.function, frame.file] = rule.text
                frame = replace(frame, in_app=rule.in_app)
            judged.append(frame)
        return tuple(judged)

    def rule_of(self, frame: FrameShape, shape: VariantShape) -> InAppRule | None:
        """The last in-app rule that fits."""
        key = (shape.platform, frame)
        try:
            return self._judged[key]
        except KeyError:
            fitting = (rule for rule in reversed(self.in_app_rules) if rule.fits(frame, shape))
            found = next(fitting, None)
        if len(self._judged) >= _FRAMES_KEPT:
            self._judged.clear()
        self._judged[key] = found
        return found


NO_RULES = GroupingRules()


def _place(frame: FrameShape | None) -> Place | None:
    return (frame.module, frame.function, frame.file) if frame is not None else None
