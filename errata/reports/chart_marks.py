"""Vertical lines where releases began, levels changed, or people noted something.

Their labels stand in a band above the plot, a row for each kind. charts.js shows as many as the width has
room for, and all of them where one points.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any, Literal

import plotly.graph_objects as go

from errata.reports import chart_meanings, formats
from errata.reports.chart_template import plain
from errata.reports.release_labels import release_labels
from errata.state.annotations import Annotation

MOST_DEPLOYS = 12
MOST_ANNOTATIONS = 30
LONGEST_LABEL = 20
SPAN_COLOR = "rgba(146,104,214,0.14)"
# Neither light nor dark: readable on both. Kinds differ by their dashes and signs too.
Kind = Literal["release", "annotation", "change"]
LINES: dict[Kind, dict[str, Any]] = {
    "release": {"color": "rgba(128,136,150,0.75)", "width": 1.5, "dash": "dot"},
    "annotation": {"color": "rgba(146,104,214,0.9)", "width": 1.5, "dash": "longdash"},
    "change": {"color": "rgba(200,80,80,0.9)", "width": 1.5},
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A line with its label; `words` are the whole of it, shown where one points."""

    at: str
    label: str
    words: str
    color: str = ""
    """Empty: that of its kind."""


def with_deploys(figure: go.Figure, deploys: Sequence[tuple[datetime, str]]) -> go.Figure:
    """The figure with lines where releases began within its time; of many the latest."""
    placed = [(formats.chart_moment(at, _zone(figure)), at, name) for at, name in deploys]
    inside = [one for one in placed if _is_inside(figure, one[0])][-MOST_DEPLOYS:]
    labels = release_labels([name for _, _, name in inside], LONGEST_LABEL)
    marks = [
        Mark(place, plain_note(label), f"{plain_note(name)}, {formats.minute(at)}")
        for (place, at, name), label in zip(inside, labels, strict=True)
    ]
    return _marked(figure, marks, "release")


def with_annotations(figure: go.Figure, annotations: Sequence[Annotation]) -> go.Figure:
    """The figure with lines at moments that people noted, and bands over spans; of many the latest."""
    of = _zone(figure)
    placed = [
        (
            formats.chart_moment(one.note.at, of),
            formats.chart_moment(one.note.until or one.note.at, of),
            one,
        )
        for one in annotations
    ]
    inside = [one for one in placed if _overlaps(figure, *one[:2])][-MOST_ANNOTATIONS:]
    if not inside:
        return figure
    begin, end = figure.layout.xaxis.range
    marks = [
        Mark(max(since, begin), plain_note(_short(one.note.text)), plain_note(annotation_words(one)))
        for since, _, one in inside
    ]
    bands = [
        {
            **{"type": "rect", "xref": "x", "yref": "paper", "layer": "below", "line": {"width": 0}},
            **{"x0": max(since, begin), "x1": min(until, end), "y0": 0, "y1": 1, "fillcolor": SPAN_COLOR},
        }
        for since, until, _ in inside
        if until > since
    ]
    figure.update_layout(shapes=[*figure.layout.shapes, *bands])
    return _marked(figure, marks, "annotation")


def without_labels(figure: go.Figure) -> go.Figure:
    """The figure with its lines alone, below one that has their labels."""
    figure.layout.meta = {name: told for name, told in figure.layout.meta.items() if name != "marks"}
    return figure


def annotation_words(one: Annotation) -> str:
    note = one.note
    when = formats.span(note.at, note.until) if note.until else formats.minute(note.at)
    return f"{note.text} · {when} · {one.author}"


def with_changes(figure: go.Figure, changes: Sequence[tuple[date, str, str]]) -> go.Figure:
    """The figure with lines where the level changed: by how much, and with which release; more is worse."""
    inside = [one for one in changes if _is_inside(figure, formats.chart_moment(one[0], _zone(figure)))]
    marks = [
        Mark(
            formats.chart_moment(day, _zone(figure)),
            plain_note(change),
            plain_note(" · ".join(filter(None, (change, release, formats.day(day))))),
            chart_meanings.BETTER if change.startswith("−") else chart_meanings.WORSE,
        )
        for day, change, release in inside
    ]
    return _marked(figure, marks, "change")


def plain_note(words: str) -> str:
    # A note reads no templates: its percent sign may stay.
    return plain(words).replace("％", "%")


def _zone(figure: go.Figure) -> tzinfo:
    """Of the chart's moments, which the lines are drawn among."""
    return timezone(timedelta(milliseconds=figure.layout.meta["offset_ms"]))


def _is_inside(figure: go.Figure, moment: str) -> bool:
    shown = figure.layout.xaxis.range
    return bool(shown) and shown[0] <= moment < shown[1]


def _overlaps(figure: go.Figure, since: str, until: str) -> bool:
    shown = figure.layout.xaxis.range
    return bool(shown) and since < shown[1] and (since >= shown[0] or until > shown[0])


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1].rstrip()}…"


def _marked(figure: go.Figure, marks: Sequence[Mark], kind: Kind) -> go.Figure:
    if not marks:
        return figure
    meta = dict(figure.layout.meta or {})
    told = [{"kind": kind, "at": mark.at, "label": mark.label, "words": mark.words} for mark in marks]
    figure.update_layout(
        shapes=[*figure.layout.shapes, *(_line(mark, kind) for mark in marks)],
        meta={**meta, "marks": [*meta.get("marks", ()), *told]},
    )
    if figure.layout.hovermode != "closest":
        _tell_at_points(figure, marks)
    return figure


def _line(mark: Mark, kind: Kind) -> dict[str, Any]:
    return {
        **{"type": "line", "xref": "x", "yref": "paper"},
        "line": {**LINES[kind], **({"color": mark.color} if mark.color else {})},
        **{"x0": mark.at, "x1": mark.at, "y0": 0, "y1": 1},
    }


def _tell_at_points(figure: go.Figure, marks: Sequence[Mark]) -> None:
    """Whoever points at the step of a line reads its words below the value of the step."""
    for mark in marks:
        trace, point = next(_points_at(figure, mark.at), (None, 0))
        if trace is None:
            continue
        hovers = list(trace.hovertext)
        hovers[point] = f"{hovers[point]}<br>{mark.words}"
        trace.hovertext = hovers


def _points_at(figure: go.Figure, at: str) -> Iterator[tuple[Any, int]]:
    for trace in figure.data:
        before = sum(moment <= at for moment in trace.x)
        if before and trace.hovertext is not None and trace.y[before - 1] is not None:
            yield trace, before - 1
