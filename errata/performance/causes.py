"""What made LCP and INP of one page load what they are: the parts of each, and the frame a user waited for.

The same rules in SQL: `causes` of errata_mart.page_loads (warehouse_sql/intermediate/page_loads.sql).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Cause(StrEnum):
    """The vitals with known causes, by column name."""

    INP = "inp_ms"
    LCP = "lcp_ms"
    CLS = "cls"


PARTS: Mapping[Cause, tuple[str, ...]] = {
    Cause.INP: ("input_delay_ms", "processing_ms", "presentation_ms"),
    Cause.LCP: ("ttfb_ms", "load_delay_ms", "load_duration_ms", "render_delay_ms"),
    Cause.CLS: (),
}
"""The parts of each vital, in order of time."""


@dataclass(frozen=True, slots=True)
class LoadCause:
    """What one vital of one load comes from. Texts are empty where not sent."""

    metric: Cause
    element: str
    url: str
    """The image of the LCP."""
    invoker: str
    file: str
    function: str
    value: float
    is_slow: bool
    """Above good."""
    parts: Mapping[str, float]
    """The known ones of PARTS."""
    source: str = ""
    """Original file and line of the function; empty: no source map tells."""


# A frame that took less of the wait explains little of it.
LEAST_SHARE = 0.5
# Events whose handlers an interaction waits for; others, such as mousemove, are none of its own.
HANDLER = re.compile(
    r"\.on(?:click|dblclick|auxclick|contextmenu|input|change|submit|beforeinput"
    r"|pointer(?:down|up|cancel)|mouse(?:down|up)|touch(?:start|end|cancel)|key(?:down|up|press)"
    r"|drag(?:start|end)|drop)\Z"
)


@dataclass(frozen=True, slots=True)
class LongFrame:
    """A long animation frame, with the first of its scripts, which alone SDKs name."""

    offset_ms: float
    """Since the start of the view."""
    duration_ms: float
    invoker: str
    """What called the script, such as `BUTTON#buy.onclick`; for a script that was just loaded its URL."""
    invoker_type: str
    file: str
    """URL without query, fragment and secrets."""
    function: str
    """As the browser names it; empty: it has no name."""
    position: int
    """Character position in the file where the function begins; -1: unknown."""
    source: str = ""
    """Original file and line of the function; empty: no source map tells."""

    @property
    def end_ms(self) -> float:
        return self.offset_ms + self.duration_ms

    @property
    def is_of_handlers(self) -> bool:
        """Whether it began with a handler of an interaction."""
        return self.invoker_type == "event-listener" and HANDLER.search(self.invoker) is not None


@dataclass(frozen=True, slots=True)
class LcpParts:
    """The four parts of LCP by https://web.dev/articles/optimize-lcp, which add up to it; None: unknown."""

    ttfb_ms: float | None = None
    load_delay_ms: float | None = None
    """From the first byte of the page to the start of the request for the image."""
    load_duration_ms: float | None = None
    render_delay_ms: float | None = None
    """From the end of the image, or for text from the first byte of the page, to the paint."""


@dataclass(frozen=True, slots=True)
class InpParts:
    """The three parts of INP by https://web.dev/articles/optimize-inp, as far as a frame tells them; None:
    unknown."""

    input_delay_ms: float | None = None
    """Until the frame with the handlers began."""
    processing_ms: float | None = None
    """The frame: handlers, and the style and layout after them."""
    presentation_ms: float | None = None
    """From the end of the frame to the next paint."""


def lcp_parts(
    lcp_ms: float | None, ttfb_ms: float | None, element: str, url: str, image: tuple[float, float] | None
) -> LcpParts:
    """`image`: start and end of the request for `url`, since the start of the view; None: not reported."""
    if lcp_ms is None or ttfb_ms is None:
        return LcpParts()
    if not url or url == "data:":
        # Whether it is text is known only where the SDK names the element.
        return LcpParts(ttfb_ms, 0.0, 0.0, _rounded(lcp_ms - ttfb_ms)) if element else LcpParts(ttfb_ms)
    if image is None:
        return LcpParts(ttfb_ms)
    start = max(ttfb_ms, image[0])
    end = min(max(start, image[1]), max(start, lcp_ms))
    return LcpParts(ttfb_ms, _rounded(start - ttfb_ms), _rounded(end - start), _rounded(lcp_ms - end))


def frame_of_interaction(
    at_ms: float | None, inp_ms: float | None, frames: Iterable[LongFrame]
) -> LongFrame | None:
    """The frame that took most of the wait, half of it or more; `at_ms`: start of the interaction."""
    if at_ms is None or inp_ms is None:
        return None
    found = max(frames, key=lambda one: (_shared(one, at_ms, inp_ms), -one.offset_ms), default=None)
    return found if found is not None and 0 < LEAST_SHARE * inp_ms <= _shared(found, at_ms, inp_ms) else None


def inp_parts(at_ms: float | None, inp_ms: float | None, frame: LongFrame | None) -> InpParts:
    """Unknown without a frame, or if other scripts than handlers began it: the handlers may not be in it."""
    if at_ms is None or inp_ms is None or frame is None or not frame.is_of_handlers:
        return InpParts()
    delay = max(0.0, frame.offset_ms - at_ms)
    presentation = max(0.0, at_ms + inp_ms - frame.end_ms)
    return InpParts(_rounded(delay), _rounded(inp_ms - delay - presentation), _rounded(presentation))


def _shared(frame: LongFrame, at_ms: float, inp_ms: float) -> float:
    return min(frame.end_ms, at_ms + inp_ms) - max(frame.offset_ms, at_ms)


def _rounded(value: float) -> float:
    return round(max(0.0, value), 3)
