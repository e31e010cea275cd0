"""Rows in, a Plotly figure out: what pages draw with plotly.js and a notebook shows as it is."""

import math
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Protocol

import plotly.graph_objects as go

from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.chart_marks import moment_words
from errata.reports.chart_template import DATE_AXIS, drawn, plain
from errata.reports.chart_values import hovers, shown, tick_words, value_axis

# All that the served bundle of plotly.js draws; it would draw an empty chart for any other.
TRACE_TYPES = frozenset(
    {"bar", "scatter", "heatmap", "box", "histogram", "contour", "image", "pie", "violin"}
)
WEEK_MS = 604_800_000
# As many as a telephone shows side by side.
MOST_WEEK_LABELS = 6
MOST_STACKED = 4
A_MONDAY = "2024-01-01"
# With the rest together as many as there are colours.
MOST_LAG_LINES = 4
# A logarithmic axis has no place for nothing.
SHORTEST_LAG_MS = 100
LAG_TICKS_MS = (
    *(1_000, 10_000, 60_000, 600_000, 3_600_000),
    *(86_400_000, 604_800_000, 2_592_000_000, 31_536_000_000),
)


class Week(Protocol):
    @property
    def start(self) -> date: ...
    @property
    def p50(self) -> float | None: ...
    @property
    def p75(self) -> float | None: ...
    @property
    def p95(self) -> float | None: ...


def events_over_time(
    bucket_starts: Sequence[datetime], lines: Sequence[tuple[str, Sequence[int]]]
) -> go.Figure:
    """One bar a span of time, stacked by name; spans without events are part of the picture."""
    shown_lines = [(name or "not set", list(counts)) for name, counts in lines[:MOST_STACKED]]
    if len(lines) > MOST_STACKED:
        rest = [counts for _, counts in lines[MOST_STACKED:]]
        shown_lines.append((f"{len(rest)} others", [sum(column) for column in zip(*rest, strict=True)]))
    starts = [moment_words(start) for start in bucket_starts]
    bars = [
        go.Bar(
            x=starts,
            y=counts,
            name=plain(name),
            # A count is written as in tables.
            hovertemplate="%{y:,} " + plain(name) + "<extra></extra>",
        )
        for name, counts in shown_lines or [("events", [0] * len(starts))]
    ]
    heights = [sum(column) for column in zip(*(counts for _, counts in shown_lines), strict=True)]
    layout = {
        "barmode": "stack",
        "xaxis": {**DATE_AXIS, "hoverformat": "%a %-d %b %Y, %H:%M UTC"},
        # Few events are no tall bars.
        "yaxis": value_axis([4, *heights], Unit.COUNT),
        "showlegend": len(shown_lines) > 1,
    }
    return drawn(bars, layout)


def weekly_trend(weeks: Sequence[Week], metric: str, unit: Unit) -> go.Figure:
    """p50, p75 and p95 by ISO week; a week without samples is a gap."""
    axis = {
        **DATE_AXIS,
        "hoverformat": "week %V of %G (from %-d %b %Y)",
        "tick0": A_MONDAY,
        "dtick": WEEK_MS * max(1, math.ceil(len(weeks) / MOST_WEEK_LABELS)),
    }
    return _percentiles(weeks, axis, metric, unit)


def daily_trend(days: Sequence[Week], metric: str, unit: Unit) -> go.Figure:
    """p50, p75 and p95 by UTC day; a day without samples is a gap."""
    axis = {**DATE_AXIS, "hoverformat": "%a %-d %b %Y, UTC", "nticks": 8}
    return _percentiles(days, axis, metric, unit)


def _percentiles(spans: Sequence[Week], axis: dict[str, Any], metric: str, unit: Unit) -> go.Figure:
    lines, measured = [], list[float | None]()
    for name, dash in (("p50", "dot"), ("p75", "dash"), ("p95", "solid")):
        values = shown(getattr(span, name) for span in spans)
        measured += values
        lines.append(
            go.Scatter(
                mode="lines+markers",
                x=[span.start.isoformat() for span in spans],
                y=values,
                name=name,
                connectgaps=False,
                line={"width": 2, "dash": dash},
                marker={"size": 5},
                hovertext=hovers(values, unit, f"{name} "),
            )
        )
    layout = {
        "xaxis": axis,
        "yaxis": value_axis(measured, unit, metric),
        "legend": {"traceorder": "reversed"},
        "showlegend": True,
    }
    return drawn(lines, layout)


class OfRelease(Protocol):
    @property
    def release(self) -> str: ...
    @property
    def first_view_at(self) -> datetime: ...
    @property
    def load_ms_p75(self) -> float | None: ...


def load_by_release(rows: Sequence[OfRelease]) -> go.Figure:
    """p75 of load time where each release began, a line a package: only releases of one follow each other."""
    packages: dict[str, list[OfRelease]] = {}
    for row in sorted(rows, key=lambda one: one.first_view_at):
        packages.setdefault(row.release.rpartition("@")[0], []).append(row)
    lines = [
        go.Scatter(
            mode="lines+markers",
            x=[moment_words(row.first_view_at) for row in own],
            y=shown(row.load_ms_p75 for row in own),
            name=plain(package) or "without a package",
            line={"width": 2, "shape": "hv"},
            marker={"size": 7},
            hovertext=[f"{plain(row.release)}: {formats.duration(row.load_ms_p75)}" for row in own],
        )
        for package, own in packages.items()
    ]
    layout = {
        "xaxis": {**DATE_AXIS, "hoverformat": "%-d %b %Y, %H:%M UTC"},
        "yaxis": value_axis([row.load_ms_p75 for row in rows], Unit.MS, "Load p75"),
        "hovermode": "closest",
        "showlegend": len(lines) > 1,
    }
    return drawn(lines, layout)


def slowest_endpoints(rows: Sequence[tuple[str, float | None, float | None]]) -> go.Figure:
    """Name, average and p95 of each, the slowest on top."""
    names = [plain(name) for name, _, _ in rows]
    columns = {"average": [row[1] for row in rows], "p95": [row[2] for row in rows]}
    bars = [
        go.Bar(
            orientation="h",
            y=names,
            x=shown(values),
            name=name,
            hovertext=hovers(values, Unit.MS, f"{name} "),
        )
        for name, values in columns.items()
    ]
    layout = {
        "barmode": "group",
        "hovermode": "y unified",
        "xaxis": {
            **value_axis([value for values in columns.values() for value in values], Unit.MS, most_ticks=3),
            "showgrid": True,
            "tickangle": 0,
        },
        "yaxis": {"autorange": "reversed", "showgrid": False},
        "showlegend": True,
    }
    return drawn(bars, layout)


def longest_lags(
    hosts: Sequence[tuple[str, Sequence[tuple[datetime, int]]]],
    step: timedelta,
    since: datetime,
    until: datetime,
) -> go.Figure:
    """A line a host, those that lagged most by name, the rest as one; steps without a delivery are gaps."""
    in_order = sorted(hosts, key=lambda host: -max(lag_ms for _, lag_ms in host[1]))
    named = [(name, dict(lags)) for name, lags in in_order[:MOST_LAG_LINES]]
    if rest := in_order[MOST_LAG_LINES:]:
        together: dict[datetime, int] = {}
        for moment, lag_ms in (one for _, lags in rest for one in lags):
            together[moment] = max(together.get(moment, 0), lag_ms)
        named.append((f"{len(rest)} other{'' if len(rest) == 1 else 's'}", together))
    lines = [_lag_line(name, lags, step) for name, lags in named]
    longest = max(lag_ms for _, lags in hosts for _, lag_ms in lags)
    ticks = [lag_ms for lag_ms in LAG_TICKS_MS if lag_ms <= longest * 10] or [LAG_TICKS_MS[0]]
    layout = {
        "xaxis": {**DATE_AXIS, "range": [moment_words(since), moment_words(until)]},
        "yaxis": {
            "type": "log",
            "tickvals": ticks,
            "ticktext": [tick_words(lag_ms, Unit.MS) for lag_ms in ticks],
            # In powers of ten: from 0.1 s, with room above the longest.
            "range": [2, math.log10(max(longest, 10_000)) + 0.2],
        },
        "hovermode": "closest",
        "showlegend": len(lines) > 1,
    }
    return drawn(lines, layout)


def _lag_line(name: str, lags: dict[datetime, int], step: timedelta) -> go.Scatter:
    moments: list[str] = []
    values: list[int | None] = []
    before: datetime | None = None
    for moment, lag_ms in sorted(lags.items()):
        if before is not None and moment - before > step:
            # Breaks the line: nothing was delivered in between.
            moments.append(moment_words(before + step))
            values.append(None)
        moments.append(moment_words(moment))
        values.append(max(lag_ms, SHORTEST_LAG_MS))
        before = moment
    return go.Scatter(
        mode="lines+markers",
        x=moments,
        y=values,
        name=plain(name),
        connectgaps=False,
        line={"width": 2},
        marker={"size": 4},
        hovertext=[f"{plain(name)}: {formats.duration(value)}" for value in values],
        hovertemplate="%{x|%-d %b, %H:%M} UTC<br>%{hovertext}<extra></extra>",
    )
