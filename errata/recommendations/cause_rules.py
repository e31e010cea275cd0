"""What slow vitals of pages come from: their elements, and the handlers that users wait for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from errata.performance.causes import PARTS, Cause, LoadCause
from errata.recommendations.measured import P75, Gathered, Measured, gathered, percentile
from errata.recommendations.recommendation import Recommendation, Rule, recommend
from errata.reports import formats
from errata.warehouse.queries.performance.sampled_loads import PageLoad

# "Needs improvement" begins there: web.dev/articles/inp.
INP_MS = 200
# Fewer say more about chance than about the page.
FEWEST = 20
STEPS_SHOWN = 2
PART_WORDS = {
    "input_delay_ms": "input delay",
    "processing_ms": "handlers and rendering",
    "presentation_ms": "presentation",
    "ttfb_ms": "the first byte",
    "load_delay_ms": "the delay before the image is requested",
    "load_duration_ms": "loading the image",
    "render_delay_ms": "the delay before it is painted",
}


def cause_said(metric: Cause, loads: Sequence[PageLoad]) -> str:
    """A sentence about the element that most loads above good have in common, and the largest part of the
    vital in them; empty: too few loads tell it."""
    slow = [cause for load in loads if (cause := load.causes.get(metric)) and cause.is_slow and cause.element]
    if not slow:
        return ""
    (element, count), *_ = Counter(cause.element for cause in slow).most_common(1)
    if count < FEWEST:
        return ""
    said = f" In {formats.ratio(count / len(slow))} of the loads above that, it is {_short(element)}"
    return said + _largest_part(metric, [cause for cause in slow if cause.element == element]) + "."


def _largest_part(metric: Cause, causes: Sequence[LoadCause]) -> str:
    known = [cause.parts for cause in causes if len(cause.parts) == len(PARTS[metric]) > 0]
    if len(known) < FEWEST:
        return ""
    p75 = {name: percentile([parts[name] for parts in known], P75) for name in PARTS[metric]}
    name = max(p75, key=lambda part: p75[part])
    return f", mostly by {PART_WORDS[name]} ({formats.duration(p75[name])} at p75)"


def slow_handlers(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    """Handlers whose interactions are slow, by page; only where long animation frames tell them."""
    measured = [load for load in loads if Cause.INP in load.causes]
    by_page: dict[str, list[PageLoad]] = {}
    for load in measured:
        by_page.setdefault(load.page, []).append(load)
    for found in gathered(_handled(measured)):
        inp_ms, processing_ms = found.values
        if inp_ms <= INP_MS:
            continue
        said = (
            f"The handler takes {formats.duration(processing_ms)} of an INP of {formats.duration(inp_ms)} "
            f"(p75 of {formats.plural(found.load_count, 'load')}), for {_share(found, by_page[found.page])}."
        )
        yield recommend(Rule.SLOW_HANDLER, found, said, inp_ms - max(INP_MS, inp_ms - processing_ms))


def _handled(loads: Iterable[PageLoad]) -> Iterator[Measured]:
    for load in loads:
        cause = load.causes[Cause.INP]
        processing_ms = cause.parts.get("processing_ms")
        if processing_ms is not None:
            yield Measured(_handler(cause), load, (cause.value, processing_ms), load.page)


def _handler(cause: LoadCause) -> str:
    """Such as `BUTTON#buy.onclick in cart.js`; minified files have other names in each release, original ones
    have not."""
    file = cause.source or cause.file.rpartition("/")[2]
    function = f", function {cause.function}" if cause.function else ""
    return f"{cause.invoker} in {file}{function}" if file else cause.invoker


def _share(found: Gathered, loads: Sequence[PageLoad]) -> str:
    """Of the page's users who interacted; of its loads if few users are identified."""
    users = len({load.user_hash for load in loads} - {0})
    if users >= FEWEST:
        return (
            f"{formats.ratio(found.user_count / users)} of the identified users who interacted with the page"
        )
    return f"{formats.ratio(found.load_count / len(loads))} of the loads with an interaction"


def _short(selector: str) -> str:
    return " > ".join(selector.split(" > ")[-STEPS_SHOWN:])
