"""Vertical lines where releases began and levels changed, and which of them there is room to name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TypeVar

import plotly.graph_objects as go

from errata.reports import formats
from errata.reports.chart_template import plain
from errata.reports.release_labels import release_labels

MOST_DEPLOYS = 12
# As many as stand beside each other on a telephone.
LABELS_ACROSS = 20
# Of charts of the usual height, above and below; of low ones; and of a small one beside figures.
LONGEST_LABEL, LONGEST_LOW_LABEL, LONGEST_SMALL_LABEL = 20, 14, 8
# Neither light nor dark: readable on both.
MARK = "rgba(128,136,150,0.75)"
CHANGE_MARK = "rgba(200,80,80,0.9)"
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Mark:
    """A line with its label; `words` are the whole of it, shown where one points."""

    at: str
    label: str
    words: str


def with_deploys(
    figure: go.Figure, deploys: Sequence[tuple[datetime, str]], *, longest: int = LONGEST_LABEL
) -> go.Figure:
    """The figure with lines where releases began within its time; of many the latest."""
    placed = [(formats.chart_moment(at, _step(figure)), at, name) for at, name in deploys]
    inside = [one for one in placed if _is_inside(figure, one[0])][-MOST_DEPLOYS:]
    labels = release_labels([name for _, _, name in inside], longest)
    marks = [
        Mark(place, plain_note(label), f"{plain_note(name)}, {formats.minute(at)}")
        for (place, at, name), label in zip(inside, labels, strict=True)
    ]
    return _marked(figure, marks, "top", {"color": MARK, "width": 1.5, "dash": "dot"})


def with_changes(figure: go.Figure, changes: Sequence[tuple[date, str, str]]) -> go.Figure:
    """The figure with lines where the level changed: by how much, and with which release."""
    inside = [one for one in changes if _is_inside(figure, formats.chart_moment(one[0], _step(figure)))]
    marks = [
        Mark(
            formats.chart_moment(day, _step(figure)),
            plain_note(change),
            plain_note(" · ".join(filter(None, (change, release, formats.day(day))))),
        )
        for day, change, release in inside
    ]
    return _marked(figure, marks, "bottom", {"color": CHANGE_MARK, "width": 1.5})


def plain_note(words: str) -> str:
    # A note reads no templates: its percent sign may stay.
    return plain(words).replace("％", "%")


def named(places: Sequence[Place], is_near: Callable[[Place, Place], bool]) -> Mapping[int, list[int]]:
    """The places with room for a label, by their number, each with those that have none beside it.

    Of places too near each other the latest is named.
    """
    found: dict[int, list[int]] = {}
    last: int | None = None
    for number in reversed(range(len(places))):
        if last is None or not is_near(places[number], places[last]):
            last = number
        found.setdefault(last, []).insert(0, number)
    return found


def _step(figure: go.Figure) -> timedelta:
    """Of the chart's moments, which the lines are drawn among."""
    meta = figure.layout.meta or {}
    return timedelta(milliseconds=meta.get("step_ms", 0))


def _is_inside(figure: go.Figure, moment: str) -> bool:
    shown = figure.layout.xaxis.range
    return bool(shown) and shown[0] <= moment < shown[1]


def _marked(figure: go.Figure, marks: Sequence[Mark], at: str, line: dict[str, object]) -> go.Figure:
    if not marks:
        return figure
    shapes = [
        {
            **{"type": "line", "xref": "x", "yref": "paper", "line": line},
            **{"x0": mark.at, "x1": mark.at, "y0": 0, "y1": 1},
        }
        for mark in marks
    ]
    figure.update_layout(
        shapes=[*figure.layout.shapes, *shapes],
        annotations=[*figure.layout.annotations, *_notes(figure, marks, at)],
    )
    return figure


def _notes(figure: go.Figure, marks: Sequence[Mark], at: str) -> list[dict[str, object]]:
    """A label a line, read upwards on its left; at the left end of the chart on its right."""
    begin, end = figure.layout.xaxis.range
    least = _between(begin, end) / LABELS_ACROSS
    found = named([mark.at for mark in marks], lambda before, after: _between(before, after) < least)
    notes = []
    for number, together in sorted(found.items()):
        mark, others = marks[number], len(together) - 1
        is_first = _between(begin, mark.at) < least
        notes.append(
            {
                **{"x": mark.at, "y": 1 if at == "top" else 0, "yref": "paper", "yanchor": at},
                **{"xanchor": "left" if is_first else "right", "xshift": 2 if is_first else -2},
                "text": f"{mark.label} +{others}" if others else mark.label,
                "hovertext": "<br>".join(marks[one].words for one in together),
                **{"textangle": -90, "showarrow": False, "font": {"size": 10}},
            }
        )
    return notes


def _between(before: str, after: str) -> timedelta:
    return datetime.fromisoformat(after) - datetime.fromisoformat(before)
