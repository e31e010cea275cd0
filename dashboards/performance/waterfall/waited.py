"""What one load waited for: the element behind each vital, and the parts of LCP and INP."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dashboards.performance.scripts import PART_WORDS, script_name
from errata.performance.causes import Cause, InpParts, LcpParts, LongFrame
from errata.performance.metric import PAGE_METRICS
from errata.reports import formats
from errata.warehouse.queries.performance.waterfall import Waterfall


@dataclass(frozen=True, slots=True)
class Part:
    words: str
    duration: str
    left: float
    """In percent of the vital, as the width."""
    width: float


@dataclass(frozen=True, slots=True)
class Waited:
    metric: Cause
    title: str
    value: float
    elements: tuple[str, ...]
    facts: tuple[str, ...]
    parts: tuple[Part, ...]
    """None where they are unknown."""
    unknown: str
    """Why."""


def waited_for(waterfall: Waterfall) -> Iterator[Waited]:
    view = waterfall.view
    if view.lcp_ms is not None:
        facts = [view.lcp_url, f"id {view.lcp_id}" if view.lcp_id else ""]
        if view.lcp_size:
            facts.append(f"{formats.count(round(view.lcp_size))} px shown")
        parts = _parts(Cause.LCP, waterfall.lcp_parts)
        unknown = (
            "Parts unknown: the request for the image wasn't sent with this load." if view.lcp_url else ""
        )
        yield _waited(Cause.LCP, view.lcp_ms, (view.lcp_element,), facts, parts, unknown)
    if view.inp_ms is not None:
        began = f"{view.inp_type or 'interaction'}"
        if view.inp_at_ms is not None:
            began += f" at {formats.duration(view.inp_at_ms)}"
        parts = _parts(Cause.INP, waterfall.inp_parts)
        facts = [began, *_script(waterfall.inp_frame)]
        yield _waited(Cause.INP, view.inp_ms, (view.inp_target,), facts, parts, _why(waterfall.inp_frame))
    if view.cls is not None:
        yield _waited(Cause.CLS, view.cls, tuple(view.cls_sources), [], (), "")


def _waited(
    metric: Cause,
    value: float,
    elements: tuple[str, ...],
    facts: list[str],
    parts: tuple[Part, ...],
    unknown: str,
) -> Waited:
    named = tuple(one for one in elements if one)
    known = tuple(fact for fact in facts if fact)
    return Waited(metric, PAGE_METRICS[metric].title, value, named, known, parts, "" if parts else unknown)


def _script(frame: LongFrame | None) -> Iterator[str]:
    if frame is not None:
        yield f"waited for {script_name(frame.invoker, frame.file)}"
        if frame.function:
            yield f"function {frame.function}" + (f" in {frame.source}" if frame.source else "")


def _why(frame: LongFrame | None) -> str:
    if frame is None:
        return (
            "Parts unknown: no long animation frame was sent for this interaction. SDKs send them only while "
            "they measure a page load or a navigation."
        )
    return "Parts unknown: the frame began with another script than a handler of the interaction."


def _parts(metric: Cause, parts: LcpParts | InpParts) -> tuple[Part, ...]:
    values: Mapping[str, float | None] = {name: getattr(parts, name) for name in PART_WORDS[metric]}
    known = {name: value for name, value in values.items() if value is not None}
    whole = sum(known.values())
    if len(known) < len(values) or not whole:
        return ()
    found, left = [], 0.0
    for name, value in known.items():
        width = round(value / whole * 100, 3)
        found.append(Part(PART_WORDS[metric][name], formats.duration(value), round(left, 3), width))
        left += width
    return tuple(found)
