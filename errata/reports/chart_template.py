"""The look of every chart: one template, in light and in dark colours."""

from collections.abc import Mapping, Sequence
from datetime import timedelta, tzinfo
from typing import Any

import plotly.graph_objects as go

FONT = 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
# Readable on the surface of the pages. None is red, orange or green, which mean worse, fair and better.
LIGHT_SERIES = ("#1f5fc9", "#0b7285", "#6b45b8", "#a3348a", "#7a6400")
DARK_SERIES = ("#7fb0ff", "#5cc8d7", "#bda2ff", "#f093d2", "#d6c25a")
# Values in hovers are written in Python, by the formats that tables have.
HOVER = "%{hovertext}<extra></extra>"
LABEL_SIGNS = str.maketrans({"<": "‹", ">": "›", "&": "＆", "%": "％"})


def templates() -> dict[str, dict[str, Any]]:
    return {
        "light": template("#5a6473", "#e6e9ee", "#ffffff", "#1b2029", LIGHT_SERIES),
        "dark": template("#9aa4b4", "#262c36", "#181c23", "#e3e7ee", DARK_SERIES),
    }


def template(words: str, grid: str, surface: str, text: str, series: tuple[str, ...]) -> dict[str, Any]:
    axis = {
        "gridcolor": grid,
        "linecolor": grid,
        "tickcolor": grid,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"color": words, "size": 11},
        "title": {"font": {"color": words, "size": 11}, "standoff": 8},
    }
    return {
        # A marker at the end of an axis is whole.
        "data": {
            "scatter": [{"hovertemplate": HOVER, "cliponaxis": False}],
            "bar": [{"hovertemplate": HOVER}],
        },
        "layout": {
            "font": {"family": FONT, "size": 12, "color": words},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(series),
            "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
            "xaxis": {
                **axis,
                "showgrid": False,
                "ticks": "outside",
                "ticklen": 5,
                "tickcolor": "rgba(0,0,0,0)",
            },
            # Its ticks are written in Python; a drag across the chart zooms the other axis.
            "yaxis": {**axis, "fixedrange": True},
            "hovermode": "x unified",
            "hoverlabel": {"bgcolor": surface, "bordercolor": grid, "font": {"color": text, "family": FONT}},
            # Words stand out from lines, which still show.
            "annotationdefaults": {"bgcolor": _translucent(surface), "borderpad": 0},
            "legend": {"orientation": "h", "x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"},
            "bargap": 0.15,
            "dragmode": "zoom",
        },
    }


def _translucent(color: str) -> str:
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.7)"


def meta_of(step: timedelta, of: tzinfo) -> dict[str, Any]:
    """What charts.js asks a chart of time for: how long its steps are, and how far its zone is ahead of
    UTC."""
    offset = of.utcoffset(None) or timedelta()
    return {"step_ms": step / timedelta(milliseconds=1), "offset_ms": offset / timedelta(milliseconds=1)}


def drawn(traces: Sequence[Any], layout: Mapping[str, Any]) -> go.Figure:
    """A figure with the light template, which a notebook shows as it is."""
    return go.Figure(traces, {"template": templates()["light"], **layout})


def document(figure: go.Figure) -> dict[str, Any]:
    """What plotly.js draws, without the template: a page has that once, in both colours."""
    found: dict[str, Any] = figure.to_plotly_json()
    del found["layout"]["template"]
    return found


def plain(name: str) -> str:
    """Plotly reads some HTML, and names in braces, in its labels."""
    return name.translate(LABEL_SIGNS)
