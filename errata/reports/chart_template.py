"""The look of every chart: one light and one dark template."""

from typing import Any

Figure = dict[str, Any]

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
# Readable on the surface of the pages, and told apart by lightness too.
LIGHT_SERIES = ("#1f5fc9", "#b85d0a", "#b3263f", "#17734a", "#6b45b8")
DARK_SERIES = ("#7fb0ff", "#f4b266", "#ff8d9c", "#63d39b", "#bda2ff")


def templates() -> dict[str, Figure]:
    return {
        "light": template("#5a6473", "#e6e9ee", "#ffffff", "#1b2029", LIGHT_SERIES),
        "dark": template("#9aa4b4", "#262c36", "#1f2530", "#e3e7ee", DARK_SERIES),
    }


def template(words: str, grid: str, surface: str, text: str, series: tuple[str, ...]) -> Figure:
    axis = {
        "gridcolor": grid,
        "linecolor": grid,
        "tickcolor": grid,
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,
        "tickfont": {"color": words, "size": 11},
        "title": {"font": {"color": words, "size": 11}, "standoff": 8},
    }
    return {
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
            "yaxis": {**axis, "rangemode": "tozero"},
            "hovermode": "x unified",
            "hoverlabel": {"bgcolor": surface, "bordercolor": grid, "font": {"color": text, "family": FONT}},
            "legend": {"orientation": "h", "x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"},
            "bargap": 0.15,
            "dragmode": False,
        }
    }
