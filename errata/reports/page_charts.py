"""Figures of how metrics of one page are spread over its loads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from errata.performance.metric import Unit
from errata.reports import chart_meanings, formats
from errata.reports.chart_template import drawn
from errata.reports.chart_values import axis_words, tick_step, value_axis
from errata.reports.figures import figure

RATING_WORDS = {"good": "good", "needs_improvement": "needs improvement", "poor": "poor"}
ROW_PX, FRAME_PX = 34, 60
# Labels of marks stand in rows above the plot.
MARK_PX, MARKS_PX = 14, 48
MOST_VALUES = 5
# Right of it the label of a mark stands left of its line.
TURN = 0.6


@dataclass(frozen=True, slots=True)
class RatedLoads:
    """Loads of one vital by rating: good, needs improvement, poor."""

    name: str
    counts: tuple[int, int, int]


def ratings(rows: Sequence[RatedLoads]) -> go.Figure:
    """A bar a vital, the first on top: which share of its loads has which rating."""
    bars = [
        go.Bar(
            orientation="h",
            name=words,
            y=[row.name for row in rows],
            x=(shares := [row.counts[place] / sum(row.counts) for row in rows]),
            marker={"color": chart_meanings.RATINGS[rating]},
            text=[formats.ratio(share) for share in shares],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": "#ffffff"},
            hovertext=[
                f"{row.name}: {formats.ratio(share)} {words}, {formats.plural(row.counts[place], 'load')}"
                for row, share in zip(rows, shares, strict=True)
            ],
        )
        for place, (rating, words) in enumerate(RATING_WORDS.items())
    ]
    ticks = [0.0, 0.25, 0.5, 0.75, 1.0]
    layout = {
        "barmode": "stack",
        "hovermode": "closest",
        "dragmode": False,
        "height": len(rows) * ROW_PX + FRAME_PX,
        "uniformtext": {"minsize": 9, "mode": "hide"},
        "xaxis": {
            "range": [0, 1],
            "tickvals": ticks,
            "ticktext": [formats.ratio(tick) for tick in ticks],
            "fixedrange": True,
        },
        "yaxis": {"autorange": "reversed"},
        "legend": {"traceorder": "normal"},
        # The last tick is as wide to the right of its place.
        "margin": {"l": 8, "r": 24, "t": 8, "b": 8},
        "showlegend": True,
    }
    return drawn(bars, layout)


def histogram(
    counts: Sequence[int],
    width: float,
    unit: Unit,
    title: str,
    marks: Sequence[tuple[str, float]],
    rating: tuple[float, float] | None,
) -> go.Figure:
    """Loads by spans of `width` with percentiles marked; where there are thresholds, coloured by rating."""
    end = len(counts) * width
    step = tick_step(end, unit, MOST_VALUES)
    ticks = [number * step for number in range(int(end / step) + 1)]
    layout = {
        "xaxis": {
            "title": {"text": title},
            "tickvals": ticks,
            "ticktext": axis_words(ticks, unit),
            "range": [0, end],
            "fixedrange": True,
            "tickangle": 0,
        },
        "yaxis": value_axis(counts, Unit.COUNT, "page loads"),
        "barmode": "stack",
        "bargap": 0.04,
        "hovermode": "closest",
        "dragmode": False,
        "margin": {"l": 8, "r": 8, "t": MARKS_PX, "b": 8},
        "shapes": [_line(value) for _, value in marks],
        "annotations": [_label(number, mark, end, unit) for number, mark in enumerate(marks)],
        "legend": {"y": -0.25, "yanchor": "top", "traceorder": "normal"},
        "showlegend": rating is not None,
    }
    return drawn(list(_bars(counts, width, unit, rating)), layout)


def _bars(
    counts: Sequence[int], width: float, unit: Unit, rating: tuple[float, float] | None
) -> Iterator[go.Bar]:
    """A trace a rating, so that the legend tells the colours."""
    places = [(number + 0.5) * width for number in range(len(counts))]
    rated = [_rating(place, rating) for place in places]
    for one in RATING_WORDS if rating else ("",):
        bins = [number for number, word in enumerate(rated) if word == one]
        yield go.Bar(
            name=RATING_WORDS.get(one, "loads"),
            x=[places[number] for number in bins],
            y=[counts[number] for number in bins],
            width=width,
            marker={"color": chart_meanings.RATINGS[one]} if one else {},
            hovertext=[
                f"{_span(number, len(counts), width, unit)}: {formats.plural(counts[number], 'load')}"
                for number in bins
            ],
        )


def _rating(value: float, bounds: tuple[float, float] | None) -> str:
    if bounds is None:
        return ""
    good, poor = bounds
    return "good" if value <= good else "needs_improvement" if value <= poor else "poor"


def _span(number: int, count: int, width: float, unit: Unit) -> str:
    begin = figure(number * width, unit)
    return f"{begin} and more" if number == count - 1 else f"{begin} to {figure((number + 1) * width, unit)}"


def _line(value: float) -> dict[str, Any]:
    return {
        **{"type": "line", "xref": "x", "yref": "paper", "x0": value, "x1": value, "y0": 0, "y1": 1},
        "line": {"color": chart_meanings.MUTED, "width": 1.5, "dash": "dot"},
    }


def _label(number: int, mark: tuple[str, float], end: float, unit: Unit) -> dict[str, Any]:
    name, value = mark
    return {
        **{"x": value, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False},
        "xanchor": "right" if value > TURN * end else "left",
        "yshift": number * MARK_PX,
        "text": f"{name} {figure(value, unit)}",
        "font": {"size": 11},
    }
