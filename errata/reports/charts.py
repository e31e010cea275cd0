"""Rows in, a Plotly figure out: what pages draw with plotly.js and a notebook shows as it is."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Protocol

import plotly.graph_objects as go

from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.chart_meanings import MUTED
from errata.reports.chart_template import drawn, meta_of, plain
from errata.reports.chart_values import MOST_TICKS, hovers, shown, tick_words, value_axis
from errata.reports.date_axis import date_axis

# All that the served bundle of plotly.js draws; it would draw an empty chart for any other.
TRACE_TYPES = frozenset(
    {"bar", "scatter", "heatmap", "box", "histogram", "contour", "image", "pie", "violin"}
)
HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
MOST_STACKED = 4
NO_COLORS: Mapping[str, str] = {}
DASHES: Mapping[str, str] = {"p50": "dot", "p75": "dash", "p95": "solid"}
# Wide enough for the values of any axis, so that charts one below the other have their plots so, too.
SAME_LEFT_PX = 72
# Of its span; the rest keeps bars apart.
BAR_WIDTH = 0.85
# Of a small chart; plotly.js would keep 64 px for bars, and cut the labels below them.
SMALL_TICKS, LEAST_PLOT_PX = 2, 30
# With the rest together as many as there are colours.
MOST_LAG_LINES = 4
# A logarithmic axis has no place for nothing.
SHORTEST_LAG_MS = 100
LAG_TICKS_MS = (
    *(1_000, 10_000, 60_000, 600_000, 3_600_000),
    *(86_400_000, 604_800_000, 2_592_000_000, 31_536_000_000),
)


class Span(Protocol):
    @property
    def start(self) -> date: ...
    @property
    def p50(self) -> float | None: ...
    @property
    def p75(self) -> float | None: ...
    @property
    def p95(self) -> float | None: ...


def events_over_time(
    bucket_starts: Sequence[datetime],
    lines: Sequence[tuple[str, Sequence[int]]],
    *,
    is_small: bool = False,
    colors: Mapping[str, str] = NO_COLORS,
) -> go.Figure:
    """One bar a span of time, stacked by name; spans without events are part of the picture.

    One that `is_small` stands beside figures: with few ticks, and names only where one points. `colors`
    are those of names that mean something.
    """
    shown_lines = [(name or "not set", list(counts)) for name, counts in lines[:MOST_STACKED]]
    if len(lines) > MOST_STACKED:
        rest = [counts for _, counts in lines[MOST_STACKED:]]
        shown_lines.append((f"{len(rest)} others", [sum(column) for column in zip(*rest, strict=True)]))
    step = bucket_starts[1] - bucket_starts[0] if len(bucket_starts) > 1 else DAY
    of = _zone(bucket_starts, step)
    starts = [formats.chart_moment(start, of) for start in bucket_starts]
    bars = [
        go.Bar(
            x=starts,
            y=counts,
            name=plain(name),
            # A bar covers its span, as lines of releases within it show.
            offset=0,
            width=step / timedelta(milliseconds=1) * BAR_WIDTH,
            marker={"color": colors[name]} if name in colors else {},
            hovertext=[f"{formats.count(count)} {plain(name)}" for count in counts],
        )
        for name, counts in shown_lines or [("events", [0] * len(starts))]
    ]
    heights = [sum(column) for column in zip(*(counts for _, counts in shown_lines), strict=True)]
    axis = date_axis(bucket_starts, step, of, hover_format(bucket_starts, step, of))
    layout: dict[str, Any] = {
        "barmode": "stack",
        "xaxis": axis,
        "meta": meta_of(step, of),
        # Few events are no tall bars.
        "yaxis": value_axis([4, *heights], Unit.COUNT, most_ticks=SMALL_TICKS if is_small else MOST_TICKS),
        "showlegend": len(shown_lines) > 1 and not is_small,
    }
    if is_small:
        layout |= {"margin": {"l": 8, "r": 8, "t": 4, "b": 0}, "minreducedheight": LEAST_PLOT_PX}
        # Of the two lines of a tick the first.
        axis["tickformatstops"] = [
            {**stop, "value": stop["value"].partition("\n")[0]} for stop in axis["tickformatstops"]
        ]
    return drawn(bars, layout)


def on_one_axis(figures: Sequence[go.Figure], axis: Mapping[str, Any]) -> Sequence[go.Figure]:
    """Charts of the same steps, one below the other: all with this axis of time, its words below the last."""
    for figure in figures:
        figure.update_layout(
            xaxis={**axis, "showticklabels": figure is figures[-1]},
            yaxis={"automargin": False},
            margin={"l": SAME_LEFT_PX, "r": 8, "t": 8, "b": 8},
        )
    return figures


def with_before(figure: go.Figure, values: Sequence[float | None], unit: Unit, name: str = "") -> go.Figure:
    """The figure with a muted line of the same steps of the period before."""
    if not any(values):
        return figure
    moments = list(figure.data[0].x)
    figure.add_trace(
        go.Scatter(
            mode="lines",
            x=moments[: len(values)],
            y=shown(values[: len(moments)]),
            name=f"{name} period before".strip(),
            connectgaps=False,
            line={"width": 1.5, "dash": "dash", "color": MUTED, "shape": "linear"},
            hovertext=hovers(values, unit, f"{name} period before ".lstrip()),
            xperiod=figure.data[0].xperiod,
            xperiod0=figure.data[0].xperiod0,
            xperiodalignment=figure.data[0].xperiodalignment,
        )
    )
    highest = [value for trace in figure.data for value in trace.y if value is not None]
    if max(highest) > figure.layout.yaxis.range[1]:
        figure.update_layout(yaxis=value_axis(highest, unit, figure.layout.yaxis.title.text or ""))
    figure.update_layout(showlegend=True)
    return figure


def _zone(starts: Sequence[date], step: timedelta) -> tzinfo:
    return formats.chart_zone(starts[-1] + step, step) if starts else UTC


def hover_format(starts: Sequence[date], step: timedelta, of: tzinfo) -> str:
    if starts and not formats.is_of_utc_days(starts[0], step):
        return formats.chart_minute(of)
    if step >= WEEK and step % WEEK == timedelta():
        return formats.chart_week()
    return formats.chart_day()


def weekly_trend(weeks: Sequence[Span], metric: str, unit: Unit) -> go.Figure:
    """p50, p75 and p95 by ISO week; a week without samples is a gap."""
    return trend(weeks, WEEK, metric, unit)


def trend(
    spans: Sequence[Span], step: timedelta, metric: str, unit: Unit, names: Sequence[str] = tuple(DASHES)
) -> go.Figure:
    """p50, p75 and p95 by hour, UTC day or ISO week, in its middle: what a release changes follows its line.
    One without samples is a gap."""
    starts = [span.start for span in spans]
    of, lines, measured = _zone(starts, step), [], list[float | None]()
    in_middle = _in_middle(starts, step, of)
    for name in names:
        values = shown(getattr(span, name) for span in spans)
        measured += values
        lines.append(
            go.Scatter(
                mode="lines+markers",
                x=[formats.chart_moment(start, of) for start in starts],
                y=values,
                name=name,
                connectgaps=False,
                line={"width": 2, "dash": DASHES[name]},
                marker={"size": 5},
                hovertext=hovers(values, unit, f"{name} "),
                **in_middle,
            )
        )
    known = [span.start for span in spans if span.p75 is not None]
    layout = {
        "xaxis": date_axis(starts, step, of, hover_format(starts, step, of), known),
        "meta": meta_of(step, of),
        "yaxis": value_axis(measured, unit, metric),
        "legend": {"traceorder": "reversed"},
        "showlegend": True,
    }
    return drawn(lines, layout)


def _in_middle(starts: Sequence[date], step: timedelta, of: tzinfo) -> dict[str, Any]:
    """Plotly's words for values that stand for the time from their moment to the next."""
    if not starts:
        return {}
    length_ms = step / timedelta(milliseconds=1)
    return {
        "xperiod": length_ms,
        "xperiod0": formats.chart_moment(starts[0], of),
        "xperiodalignment": "middle",
    }


class OfRelease(Protocol):
    @property
    def release(self) -> str: ...
    @property
    def first_view_at(self) -> datetime: ...
    @property
    def load_ms_p75(self) -> float | None: ...


def load_by_release(rows: Sequence[OfRelease], until: datetime) -> go.Figure:
    """p75 of load time where each release began, a line a package: only releases of one follow each other."""
    packages: dict[str, list[OfRelease]] = {}
    of = formats.chart_zone(until)
    in_order = sorted(rows, key=lambda one: one.first_view_at)
    for row in in_order:
        packages.setdefault(row.release.rpartition("@")[0], []).append(row)
    lines = [
        go.Scatter(
            mode="lines+markers",
            x=[formats.chart_moment(row.first_view_at, of) for row in own],
            y=shown(row.load_ms_p75 for row in own),
            name=plain(package) or "without a package",
            line={"width": 2, "shape": "hv"},
            marker={"size": 7},
            hovertext=[f"{plain(row.release)}: {formats.duration(row.load_ms_p75)}" for row in own],
        )
        for package, own in packages.items()
    ]
    layout = {
        "xaxis": date_axis(
            [*(row.first_view_at for row in in_order), until], timedelta(), of, formats.chart_minute(of)
        ),
        "meta": meta_of(timedelta(), of),
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
    of = formats.chart_zone(until, step)
    lines = [_lag_line(name, lags, step, of) for name, lags in named]
    longest = max(lag_ms for _, lags in hosts for _, lag_ms in lags)
    ticks = [lag_ms for lag_ms in LAG_TICKS_MS if lag_ms <= longest * 10] or [LAG_TICKS_MS[0]]
    layout = {
        "xaxis": date_axis(
            [since, until - step],
            step,
            of,
            formats.chart_minute(of),
            [moment for _, lags in hosts for moment, _ in lags],
        ),
        "yaxis": {
            "type": "log",
            "tickvals": ticks,
            "ticktext": [tick_words(lag_ms, Unit.MS) for lag_ms in ticks],
            # In powers of ten: from 0.1 s, with room above the longest.
            "range": [2, math.log10(max(longest, 10_000)) + 0.2],
        },
        "hovermode": "closest",
        "meta": meta_of(step, of),
        "showlegend": len(lines) > 1,
    }
    return drawn(lines, layout)


def _lag_line(name: str, lags: dict[datetime, int], step: timedelta, of: tzinfo) -> go.Scatter:
    moments: list[str] = []
    values: list[int | None] = []
    before: datetime | None = None
    for moment, lag_ms in sorted(lags.items()):
        if before is not None and moment - before > step:
            # Breaks the line: nothing was delivered in between.
            moments.append(formats.chart_moment(before + step, of))
            values.append(None)
        moments.append(formats.chart_moment(moment, of))
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
        hovertemplate=f"%{{x|{formats.chart_minute(of)}}}<br>%{{hovertext}}<extra></extra>",
    )
