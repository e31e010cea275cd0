"""Vertical lines where releases began and levels changed, and which of them there is room to name."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import TypeVar

import plotly.graph_objects as go

from errata.reports.chart_template import plain

MOST_DEPLOYS = 12
LABELS_ACROSS = 50
LONGEST_LOW_LABEL = 10
# Neither light nor dark: readable on both.
MARK = "rgba(128,136,150,0.75)"
CHANGE_MARK = "rgba(200,80,80,0.9)"
Place = TypeVar("Place")


def with_deploys(
    figure: go.Figure, deploys: Sequence[tuple[datetime, str]], *, is_low: bool = False
) -> go.Figure:
    """The figure with lines where releases began; of many the latest.

    A low chart has room for versions alone; their releases are told where they are pointed at.
    """
    marks = [(moment_words(moment), plain_note(name)) for moment, name in deploys[-MOST_DEPLOYS:]]
    notes = _notes(figure, marks, "top")
    if is_low:
        notes = [{**note, "hovertext": note["text"], "text": _brief(str(note["text"]))} for note in notes]
    return _marked(figure, marks, notes, {"color": MARK, "width": 1.5, "dash": "dot"})


def with_changes(figure: go.Figure, changes: Sequence[tuple[date, str]]) -> go.Figure:
    """The figure with lines where the level changed, with what by."""
    marks = [(day.isoformat(), plain_note(words)) for day, words in changes]
    return _marked(figure, marks, _notes(figure, marks, "bottom"), {"color": CHANGE_MARK, "width": 1.5})


def moment_words(moment: datetime) -> str:
    # Without a zone: plotly.js shows times as written, and axes here are UTC.
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def plain_note(words: str) -> str:
    # A note reads no templates: its percent sign may stay.
    return plain(words).replace("％", "%")


def apart(
    marks: Sequence[tuple[Place, str]], is_near: Callable[[Place, Place], bool]
) -> list[tuple[Place, str]]:
    """Of lines too near each other for words on both, the later one is named."""
    named: list[tuple[Place, str]] = []
    for place, words in marks:
        if named and is_near(named[-1][0], place):
            named.pop()
        named.append((place, words))
    return named


def _marked(
    figure: go.Figure,
    marks: Sequence[tuple[str, str]],
    notes: Sequence[dict[str, object]],
    line: dict[str, object],
) -> go.Figure:
    shapes = [
        {"type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}
        for x, _ in marks
    ]
    figure.update_layout(
        shapes=[*figure.layout.shapes, *shapes], annotations=[*figure.layout.annotations, *notes]
    )
    return figure


def _notes(figure: go.Figure, marks: Sequence[tuple[str, str]], at: str) -> list[dict[str, object]]:
    if not marks:
        return []
    ends = figure.data[0].x
    least = _between(ends[0], ends[-1]) / LABELS_ACROSS
    return [
        {
            "x": x,
            "y": 1 if at == "top" else 0,
            "yref": "paper",
            "yanchor": at,
            "xanchor": "right",
            "xshift": -2,
            "text": words,
            "textangle": -90,
            "showarrow": False,
            "font": {"size": 10},
        }
        for x, words in apart(marks, lambda before, x: _between(before, x) < least)
    ]


def _between(before: str, after: str) -> timedelta:
    return datetime.fromisoformat(after) - datetime.fromisoformat(before)


def _brief(release: str) -> str:
    version = release.rpartition("@")[2]
    return version if len(version) <= LONGEST_LOW_LABEL else f"{version[: LONGEST_LOW_LABEL - 1]}…"
