"""A long animation frame: when the page was busy, and the script that the SDK names for it."""

from typing import Any, NamedTuple

from api.ingest.addresses import storable, without_queries
from api.ingest.span import Span
from api.ingest.values import number, text

LONG_FRAMES = frozenset({"ui.long_animation_frame", "ui.long-animation-frame"})
# A page load has few; builds put those of all its parts together.
MOST_FRAMES = 50
MOST_POSITION = 1 << 31


class Frame(NamedTuple):
    """An element of errata_raw.page_views.frames. SDKs name the first script of a frame alone."""

    start_ms: float
    """Unix ms."""
    duration_ms: float
    invoker: str
    """What called the script, such as `BUTTON#buy.onclick`, or its URL."""
    invoker_type: str
    file: str
    """URL without query, fragment and secrets."""
    function: str
    position: int
    """Character position in the file where the function begins; -1: unknown."""

    @property
    def end_ms(self) -> float:
        return self.start_ms + self.duration_ms


def frame_of(span: Span) -> Frame:
    data = span.data
    return Frame(
        span.start_ms,
        span.duration_ms,
        without_queries(text(data.get("browser.script.invoker"), 500)),
        text(data.get("browser.script.invoker_type"), 32),
        storable(text(data.get("code.file.path") or data.get("code.filepath"), 4000)),
        text(data.get("code.function.name") or data.get("code.function"), 200),
        _position(data.get("browser.script.source_char_position")),
    )


def longest(frames: list[Frame]) -> list[Frame]:
    """The longest frames, in order of start."""
    if len(frames) > MOST_FRAMES:
        frames = sorted(frames, key=lambda frame: -frame.duration_ms)[:MOST_FRAMES]
    return sorted(frames, key=lambda frame: frame.start_ms)


def _position(value: Any) -> int:
    found = number(value)
    return int(found) if found is not None and 0 <= found < MOST_POSITION else -1
