"""What is kept of an event to group it by, now and under any later version of the rules.

The JSON of a shape is hashed into `variant_hash`: a field may be added, with a default that is left out of
the JSON, but none may change its name, place or meaning, or every stored variant would get a twin.
"""

from __future__ import annotations

from hashlib import blake2b

import msgspec


class FrameShape(msgspec.Struct, frozen=True, omit_defaults=True):
    module: str = ""
    function: str = ""
    file: str = ""
    in_app: bool = False
    # Seen more than once in its stack, which keeps the first of them only.
    repeats: bool = False


class ExceptionShape(msgspec.Struct, frozen=True, omit_defaults=True):
    type: str = ""
    module: str = ""
    # Outermost call first, as sent.
    frames: tuple[FrameShape, ...] = ()
    # The source line of the culprit frame, where the SDK sends source.
    line: str = ""
    is_group: bool = False
    # The template of a cause's value on a JVM and below a retry; on a JVM whether it was only suppressed.
    template: str = ""
    is_suppressed: bool = False


class RuleMatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """A project rule that held by fields the shape does not keep, and those its fingerprint is made of."""

    condition: str = ""
    values: tuple[tuple[str, str], ...] = ()


class VariantShape(msgspec.Struct, frozen=True, omit_defaults=True):
    platform: str = ""
    # Oldest cause first; the last one is what was raised.
    exceptions: tuple[ExceptionShape, ...] = ()
    # Template of the raised exception's value, or of the message where nothing was raised.
    template: str = ""
    # The SDK's own fingerprint.
    fingerprint: tuple[str, ...] = ()
    # Where nothing was raised: level, logger, and the stack the message was sent from.
    level: str = ""
    logger: str = ""
    frames: tuple[FrameShape, ...] = ()
    is_overflow: bool = False
    matched: RuleMatch | None = None
    # The property Safari could not read, where its expression is a placeholder of the template.
    evaluated: str = ""
    # What names the bug but is in no template, by kind: `errata.grouping.details`.
    details: tuple[tuple[str, str], ...] = ()

    @property
    def message(self) -> str:
        """The details, if there are any: what the template has beside them are values."""
        return " ".join(value for _, value in self.details) or self.template

    def to_json(self) -> str:
        return _encoder.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> VariantShape:
        return _decoder.decode(text)


def top_frames(shape: VariantShape, count: int) -> list[str]:
    """Where it was raised and what led there, the innermost first: in-app frames, if there are any."""
    frames = shape.exceptions[-1].frames if shape.exceptions else shape.frames
    chosen = [frame for frame in frames if frame.in_app] or frames
    return [_said(frame) for frame in reversed(chosen[-count:])]


def _said(frame: FrameShape) -> str:
    place = frame.module or frame.file
    return f"{place} in {frame.function}" if place and frame.function else place or frame.function


def hash_of(encoded: bytes) -> int:
    """A UInt64 that is never 0, so that 0 can mean "none" in a column."""
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "little") or 1


def variant_hash_of(shape: VariantShape) -> int:
    return hash_of(_encoder.encode(shape))


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(VariantShape)
