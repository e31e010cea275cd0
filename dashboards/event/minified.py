"""Frames of an event that stay minified: why, by place, and in one sentence for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errata.source_maps.frames import Position, position_of, url_of
from errata.source_maps.reasons import Unmapped

Explained = Mapping[tuple[str, Position], Unmapped]
NOTHING: Explained = {}


def explained(unmapped: Sequence[Unmapped]) -> Explained:
    """By URL and position. Frames without a position are left out: no source map helps them."""
    return {(one.script.url, one.position): one for one in unmapped if one.position is not None}


def reason_of_frame(raw: dict[str, Any], reasons: Explained) -> Unmapped | None:
    """None: the frame is original, or has no source map to look for."""
    position = position_of(raw)
    return reasons.get((url_of(raw), position)) if position is not None else None


@dataclass(frozen=True, slots=True)
class MinifiedSummary:
    """`found` and `remedy` are empty where frames have different ones."""

    minified_count: int
    frame_count: int
    is_in_app: bool
    found: str
    remedy: str


def minified_summary(reasons: Sequence[Unmapped | None], is_in_app: bool) -> MinifiedSummary | None:
    """Of the frames that count, each with its reason or None; None if none of them is minified."""
    minified = [reason for reason in reasons if reason is not None]
    if not minified:
        return None
    return MinifiedSummary(
        len(minified),
        len(reasons),
        is_in_app,
        _only({reason.said for reason in minified}),
        _only({reason.remedy for reason in minified}),
    )


def _only(sentences: set[str]) -> str:
    return sentences.pop() if len(sentences) == 1 else ""
