"""Rows in, a Plotly figure out: the JSON that plotly.js draws, without colours of its own."""

import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Protocol

from errata.reports.chart_template import Figure

# All that the served bundle of plotly.js draws; it would draw an empty chart for any other.
TRACE_TYPES = frozenset(
    {"bar", "scatter", "heatmap", "box", "histogram", "contour", "image", "pie", "violin"}
)


WEEK_MS = 604_800_000
MOST_WEEK_LABELS = 8
A_MONDAY = "2024-01-01"


class Bucket(Protocol):
    @property
    def start(self) -> datetime: ...
    @property
    def event_count(self) -> int: ...


class Week(Protocol):
    @property
    def start(self) -> date: ...
    @property
    def p50(self) -> float | None: ...
    @property
    def p75(self) -> float | None: ...
    @property
    def p95(self) -> float | None: ...


def events_over_time(buckets: Sequence[Bucket]) -> Figure:
    """One bar a span of time; spans without events are part of the picture."""
    counts = [bucket.event_count for bucket in buckets]
    bars = {
        "type": "bar",
        "x": [_moment(bucket.start) for bucket in buckets],
        "y": counts,
        "name": "events",
        "hovertemplate": "%{y:,} events<extra></extra>",
    }
    layout = {
        "xaxis": {"type": "date", "hoverformat": "%a %-d %b %Y, %H:%M UTC"},
        "yaxis": {"tickformat": "~s", "nticks": 4, "range": _whole_range(counts)},
        "showlegend": False,
    }
    return {"data": [bars], "layout": layout}


def weekly_trend(weeks: Sequence[Week], metric: str, unit: str) -> Figure:
    """p50, p75 and p95 by ISO week; a week without samples is a gap."""
    lines: list[dict[str, Any]] = []
    for name, dash in (("p50", "dot"), ("p75", "dash"), ("p95", "solid")):
        values = [getattr(week, name) for week in weeks]
        lines.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [week.start.isoformat() for week in weeks],
                "y": values,
                "name": name,
                "connectgaps": False,
                "line": {"width": 2, "dash": dash},
                "marker": {"size": 5},
                "hovertemplate": f"{name} %{{y:,.3~g}}{' ' + unit if unit else ''}<extra></extra>",
            }
        )
    layout = {
        "xaxis": {
            "type": "date",
            "hoverformat": "week %V of %G (from %-d %b %Y)",
            "tickformat": "%-d %b\n%Y",
            "tick0": A_MONDAY,
            "dtick": WEEK_MS * max(1, math.ceil(len(weeks) / MOST_WEEK_LABELS)),
        },
        "yaxis": {"title": {"text": f"{metric}, {unit}" if unit else metric}, "separatethousands": True},
        "legend": {"traceorder": "reversed"},
        "showlegend": True,
    }
    return {"data": lines, "layout": layout}


def slowest_endpoints(rows: Sequence[tuple[str, float | None, float | None]]) -> Figure:
    """Name, average and p95 of each, the slowest on top."""
    names = [name for name, _, _ in rows]
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "y": names,
            "x": [row[column] for row in rows],
            "name": name,
            "hovertemplate": f"{name} %{{x:,.3~g}} ms<extra></extra>",
        }
        for name, column in (("average", 1), ("p95", 2))
    ]
    layout = {
        "barmode": "group",
        "hovermode": "y unified",
        "xaxis": {
            "title": {"text": "ms"},
            "rangemode": "tozero",
            "showgrid": True,
            "separatethousands": True,
        },
        "yaxis": {"autorange": "reversed", "showgrid": False},
        "showlegend": True,
    }
    return {"data": bars, "layout": layout}


def _moment(moment: datetime) -> str:
    # Without a zone: plotly.js shows times as written, and axes here are UTC.
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _whole_range(values: Sequence[int]) -> list[float]:
    """Few events must not be drawn on a scale with fractions."""
    return [0, max(4, max(values, default=0) * 1.05)]
