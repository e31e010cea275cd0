"""Figures of what a release changed: the effects with their intervals, and a metric before and after."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from errata.performance.metric import Unit
from errata.reports import chart_meanings, formats
from errata.reports.chart_template import drawn, plain
from errata.reports.chart_values import tick_step, value_axis
from errata.reports.figures import figure

ROOM = 1.05
MOST_CHANGES = 4
ROW_PX, FRAME_PX = 24, 64
# On a telephone it leaves more than half of the width to the plot.
LONGEST_LABEL = 28
P75 = 0.75
MOST_VALUES = 4
# Of a label at a point: its part of the width of a plot on a telephone.
LABEL_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class EffectBar:
    """One effect in relative change, 0.1: a tenth more. `value` None: only the interval is shown, since a
    number would be read as an effect."""

    name: str
    verdict: str
    verdict_words: str
    value: float | None
    low: float
    high: float
    words: str
    """All of it where one points."""
    address: str
    """Where a click leads."""


def effects(bars: Sequence[EffectBar], scale: float) -> go.Figure:
    """A row an effect, the first on top, with its 95% interval; a line where nothing changes.

    Intervals are cut where they leave `scale`, to either side of no change.
    """
    layout = {
        "xaxis": _change_axis(bars, scale),
        "yaxis": {
            "tickvals": list(range(len(bars))),
            "ticktext": [plain(_shortened(one.name)) for one in bars],
            "range": [len(bars) - 0.5, -0.5],
            "showgrid": False,
        },
        "shapes": [
            {
                **{"type": "line", "xref": "x", "yref": "paper", "x0": 0, "x1": 0, "y0": 0, "y1": 1},
                **{"line": {"color": chart_meanings.MUTED, "width": 1.5}, "layer": "below"},
            }
        ],
        "hovermode": "closest",
        "dragmode": False,
        "height": len(bars) * ROW_PX + FRAME_PX,
        "showlegend": True,
    }
    return drawn(list(_by_verdict(bars, scale)), layout)


def _by_verdict(bars: Sequence[EffectBar], scale: float) -> Iterator[go.Scatter]:
    """A trace a verdict, so that the legend tells the colours."""
    for verdict in dict.fromkeys(one.verdict for one in bars):
        rows = [(row, one) for row, one in enumerate(bars) if one.verdict == verdict]
        color = chart_meanings.of_verdict(verdict)
        ends = [[_inside(end, scale) for end in (one.low, one.high)] for _, one in rows]
        places = [
            sum(between) / 2 if one.value is None else _inside(one.value, scale)
            for (_, one), between in zip(rows, ends, strict=True)
        ]
        has_values = all(one.value is not None for _, one in rows)
        yield go.Scatter(
            mode="markers",
            name=rows[0][1].verdict_words,
            x=places,
            y=[row for row, _ in rows],
            marker={"color": color, "size": 9, "symbol": "circle" if has_values else "line-ew-open"},
            error_x={
                **{"type": "data", "symmetric": False, "color": color, "thickness": 3, "width": 0},
                "array": [high - at for (_, high), at in zip(ends, places, strict=True)],
                "arrayminus": [at - low for (low, _), at in zip(ends, places, strict=True)],
            },
            hovertext=[plain(one.words).replace("％", "%") for _, one in rows],
            customdata=[one.address for _, one in rows],
        )


def _inside(value: float, scale: float) -> float:
    return max(-scale, min(scale, value))


def _change_axis(bars: Sequence[EffectBar], scale: float) -> dict[str, Any]:
    """In percent, to both sides of no change as far as intervals reach."""
    low = min(0.0, *(_inside(one.low, scale) for one in bars))
    high = max(0.0, *(_inside(one.high, scale) for one in bars))
    room = max(-low, high) / 4
    low, high = min(low, -room), max(high, room)
    step = tick_step(high - low, Unit.RATIO, MOST_CHANGES)
    ticks = [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return {
        "title": {"text": "change vs the previous release"},
        "tickvals": ticks,
        "ticktext": [formats.change(tick) for tick in ticks],
        "range": [low * ROOM, high * ROOM],
        "fixedrange": True,
        "showgrid": True,
        "tickangle": 0,
    }


def _shortened(name: str) -> str:
    """A long name without its middle: what it begins and ends with tells more."""
    if len(name) <= LONGEST_LABEL:
        return name
    begin = LONGEST_LABEL // 2
    return f"{name[:begin]}…{name[begin + 1 - LONGEST_LABEL :]}"


@dataclass(frozen=True, slots=True)
class Side:
    """A metric of one release: the values that shares of its loads are at most, and its p75."""

    name: str
    values: Sequence[float]
    p75: float


def before_and_after(
    before: Side, after: Side, levels: Sequence[float], verdict: str, title: str, unit: Unit
) -> go.Figure:
    """Which share of loads took at most how long, before and after; the p75 of both marked."""
    after_line = {"color": chart_meanings.VERDICTS[verdict]} if verdict in chart_meanings.VERDICTS else {}
    before_line = {"color": chart_meanings.MUTED, "dash": "dash"}
    lower, higher = sorted((before.p75, after.p75))
    beside = _beside(lower, higher, LABEL_SHARE * max(*before.values, *after.values))
    traces = [
        _side(after, levels, unit, after_line, "bottom right" if after.p75 >= before.p75 else beside),
        _side(before, levels, unit, before_line, "bottom right" if before.p75 > after.p75 else beside),
    ]
    shares = [0.0, 0.25, 0.5, P75, 1.0]
    layout = {
        "xaxis": {
            **value_axis([*before.values, *after.values, before.p75, after.p75], unit, title, MOST_VALUES),
            "tickangle": 0,
        },
        "yaxis": {
            "title": {"text": "share of loads at or below"},
            "tickvals": shares,
            "ticktext": [formats.ratio(share) for share in shares],
            "range": [0, 1],
        },
        "hovermode": "closest",
        "dragmode": False,
        "legend": {"traceorder": "reversed"},
        "showlegend": True,
    }
    return drawn(traces, layout)


def _beside(lower: float, higher: float, label: float) -> str:
    """Where the label of the lower p75 is, as long as `label`: not on the other one, nor on the axis."""
    return "top left" if lower > label or higher - lower < label else "bottom right"


def _side(side: Side, levels: Sequence[float], unit: Unit, line: dict[str, Any], place: str) -> go.Scatter:
    """The p75 stands apart at the end of the line's points, in its colour."""
    p75 = figure(side.p75, unit)
    places = len(levels) + 1
    return go.Scatter(
        mode="lines+markers+text",
        name=plain(side.name),
        x=[*side.values, None, side.p75],
        y=[*levels, None, P75],
        line={"width": 2.5, **line},
        marker={"size": [0] * places + [9], "opacity": 1, "line": {"width": 0}},
        text=[""] * places + [f"p75 {p75}"],
        textposition=place,
        connectgaps=False,
        hovertext=[
            *(
                f"{plain(side.name)}: {formats.ratio(level)} of loads at most {figure(value, unit)}"
                for level, value in zip(levels, side.values, strict=True)
            ),
            "",
            f"p75 of {plain(side.name)}: {p75}",
        ],
    )
