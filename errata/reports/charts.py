"""Rows in, a Plotly figure out: the JSON that plotly.js draws, without colours of its own."""

import math
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from errata.reports.chart_marks import MOST_DEPLOYS, apart
from errata.reports.chart_template import Figure

# All that the served bundle of plotly.js draws; it would draw an empty chart for any other.
TRACE_TYPES = frozenset(
    {"bar", "scatter", "heatmap", "box", "histogram", "contour", "image", "pie", "violin"}
)


WEEK_MS = 604_800_000
MOST_WEEK_LABELS = 8
MOST_STACKED = 4
LABEL_SIGNS = str.maketrans({"<": "‹", ">": "›", "&": "＆", "%": "％"})
A_MONDAY = "2024-01-01"
# With the rest together as many as there are colours.
MOST_LAG_LINES = 4
# A logarithmic axis has no place for nothing.
SHORTEST_LAG_MS = 100
LAG_TICKS = (
    (1_000, "1 s"),
    (10_000, "10 s"),
    (60_000, "1 min"),
    (600_000, "10 min"),
    (3_600_000, "1 h"),
    (86_400_000, "1 d"),
    (604_800_000, "1 wk"),
    (2_592_000_000, "30 d"),
    (31_536_000_000, "1 yr"),
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


def events_over_time(bucket_starts: Sequence[datetime], lines: Sequence[tuple[str, Sequence[int]]]) -> Figure:
    """One bar a span of time, stacked by name; spans without events are part of the picture."""
    shown = [(name or "not set", list(counts)) for name, counts in lines[:MOST_STACKED]]
    if len(lines) > MOST_STACKED:
        rest = [counts for _, counts in lines[MOST_STACKED:]]
        shown.append((f"{len(rest)} others", [sum(column) for column in zip(*rest, strict=True)]))
    starts = [_moment(start) for start in bucket_starts]
    bars = [
        {
            "type": "bar",
            "x": starts,
            "y": counts,
            "name": _plain(name),
            "hovertemplate": "%{y:,} " + _plain(name) + "<extra></extra>",
        }
        for name, counts in shown or [("events", [0] * len(starts))]
    ]
    heights = [sum(column) for column in zip(*(counts for _, counts in shown), strict=True)]
    layout = {
        "barmode": "stack",
        "xaxis": {"type": "date", "hoverformat": "%a %-d %b %Y, %H:%M UTC"},
        # Few events must not be drawn on a scale with fractions.
        "yaxis": {"tickformat": "~s", "nticks": 4, "range": [0, max(4, max(heights, default=0) * 1.05)]},
        "showlegend": len(shown) > 1,
    }
    return {"data": bars, "layout": layout}


def weekly_trend(weeks: Sequence[Week], metric: str, unit: str) -> Figure:
    """p50, p75 and p95 by ISO week; a week without samples is a gap."""
    axis = {
        "type": "date",
        "hoverformat": "week %V of %G (from %-d %b %Y)",
        "tickformat": "%-d %b\n%Y",
        "tick0": A_MONDAY,
        "dtick": WEEK_MS * max(1, math.ceil(len(weeks) / MOST_WEEK_LABELS)),
    }
    return _percentiles(weeks, axis, metric, unit)


def daily_trend(days: Sequence[Week], metric: str, unit: str) -> Figure:
    """p50, p75 and p95 by UTC day; a day without samples is a gap."""
    axis = {"type": "date", "hoverformat": "%a %-d %b %Y, UTC", "tickformat": "%-d %b\n%Y", "nticks": 8}
    return _percentiles(days, axis, metric, unit)


def _percentiles(spans: Sequence[Week], axis: dict[str, Any], metric: str, unit: str) -> Figure:
    lines: list[dict[str, Any]] = []
    for name, dash in (("p50", "dot"), ("p75", "dash"), ("p95", "solid")):
        lines.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [span.start.isoformat() for span in spans],
                "y": [getattr(span, name) for span in spans],
                "name": name,
                "connectgaps": False,
                "line": {"width": 2, "dash": dash},
                "marker": {"size": 5},
                "hovertemplate": f"{name} %{{y:,.3~g}}{' ' + unit if unit else ''}<extra></extra>",
            }
        )
    layout = {
        "xaxis": axis,
        "yaxis": {"title": {"text": f"{metric}, {unit}" if unit else metric}, "separatethousands": True},
        "legend": {"traceorder": "reversed"},
        "showlegend": True,
    }
    return {"data": lines, "layout": layout}


LABELS_ACROSS = 50
LONGEST_LOW_LABEL = 10
# Neither light nor dark: readable on both.
MARK = "rgba(128,136,150,0.75)"
CHANGE_MARK = "rgba(200,80,80,0.9)"


def with_deploys(figure: Figure, deploys: Sequence[tuple[datetime, str]], *, is_low: bool = False) -> Figure:
    """Vertical lines where releases began; of many the latest. The figure itself where none did.

    A low chart has room for versions alone; their releases are told where they are pointed at.
    """
    if not deploys:
        return figure
    marks = [(_moment(moment), name) for moment, name in deploys[-MOST_DEPLOYS:]]
    marked = _marked(figure, marks, MARK, "dot", "top")
    if is_low:
        for note in marked["layout"]["annotations"]:
            note["hovertext"], note["text"] = note["text"], _brief(note["text"])
    return marked


def _brief(release: str) -> str:
    version = release.rpartition("@")[2]
    return version if len(version) <= LONGEST_LOW_LABEL else f"{version[: LONGEST_LOW_LABEL - 1]}…"


def with_changes(figure: Figure, changes: Sequence[tuple[date, str]]) -> Figure:
    """Vertical lines where the level changed, with what by."""
    marks = [(day.isoformat(), words) for day, words in changes]
    return _marked(figure, marks, CHANGE_MARK, "solid", "bottom")


def _marked(figure: Figure, marks: Sequence[tuple[str, str]], colour: str, dash: str, at: str) -> Figure:
    line = {"color": colour, "width": 1.5, "dash": dash}
    shapes = [
        {"type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}
        for x, _ in marks
    ]
    notes = [
        {
            "x": x,
            "y": 1 if at == "top" else 0,
            "yref": "paper",
            "yanchor": at,
            "xanchor": "right",
            "xshift": -2,
            # A note reads no templates: its percent sign may stay.
            "text": _plain(words).replace("％", "%"),
            "textangle": -90,
            "showarrow": False,
            "font": {"size": 10},
        }
        for x, words in _apart(marks, figure)
    ]
    layout = figure["layout"]
    return {
        "data": figure["data"],
        "layout": {
            **layout,
            "shapes": [*layout.get("shapes", []), *shapes],
            "annotations": [*layout.get("annotations", []), *notes],
        },
    }


def _apart(marks: Sequence[tuple[str, str]], figure: Figure) -> list[tuple[str, str]]:
    ends = figure["data"][0]["x"]
    least = _between(ends[0], ends[-1]) / LABELS_ACROSS
    return apart(marks, lambda before, x: _between(before, x) < least)


def _between(before: str, after: str) -> timedelta:
    return datetime.fromisoformat(after) - datetime.fromisoformat(before)


class OfRelease(Protocol):
    @property
    def release(self) -> str: ...
    @property
    def first_view_at(self) -> datetime: ...
    @property
    def load_ms_p75(self) -> float | None: ...


def load_by_release(rows: Sequence[OfRelease]) -> Figure:
    """p75 of load time where each release began, a line a package: only releases of one follow each other."""
    packages: dict[str, list[OfRelease]] = {}
    for row in sorted(rows, key=lambda one: one.first_view_at):
        packages.setdefault(row.release.rpartition("@")[0], []).append(row)
    lines: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": [_moment(row.first_view_at) for row in own],
            "y": [row.load_ms_p75 for row in own],
            "text": [_plain(row.release) for row in own],
            "name": _plain(package) or "without a package",
            "line": {"width": 2, "shape": "hv"},
            "marker": {"size": 7},
            "hovertemplate": "%{text}: %{y:,.3~g} ms<extra></extra>",
        }
        for package, own in packages.items()
    ]
    layout = {
        "xaxis": {"type": "date", "hoverformat": "%-d %b %Y, %H:%M UTC"},
        "yaxis": {"title": {"text": "Load p75, ms"}, "separatethousands": True},
        "hovermode": "closest",
        "showlegend": len(lines) > 1,
    }
    return {"data": lines, "layout": layout}


def slowest_endpoints(rows: Sequence[tuple[str, float | None, float | None]]) -> Figure:
    """Name, average and p95 of each, the slowest on top."""
    names = [_plain(name) for name, _, _ in rows]
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


def longest_lags(
    hosts: Sequence[tuple[str, Sequence[tuple[datetime, int]]]],
    step: timedelta,
    since: datetime,
    until: datetime,
) -> Figure:
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
    ticks = [(lag_ms, words) for lag_ms, words in LAG_TICKS if lag_ms <= longest * 10] or [LAG_TICKS[0]]
    layout = {
        "xaxis": {"type": "date", "range": [_moment(since), _moment(until)]},
        "yaxis": {
            "type": "log",
            "tickvals": [lag_ms for lag_ms, _ in ticks],
            "ticktext": [words for _, words in ticks],
            # In powers of ten: from 0.1 s, with room above the longest.
            "range": [2, math.log10(max(longest, 10_000)) + 0.2],
        },
        "hovermode": "closest",
        "showlegend": len(lines) > 1,
    }
    return {"data": lines, "layout": layout}


def _lag_line(name: str, lags: dict[datetime, int], step: timedelta) -> dict[str, Any]:
    moments: list[str] = []
    values: list[int | None] = []
    before: datetime | None = None
    for moment, lag_ms in sorted(lags.items()):
        if before is not None and moment - before > step:
            # Breaks the line: nothing was delivered in between.
            moments.append(_moment(before + step))
            values.append(None)
        moments.append(_moment(moment))
        values.append(max(lag_ms, SHORTEST_LAG_MS))
        before = moment
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": moments,
        "y": values,
        "text": [None if value is None else _lag_words(value) for value in values],
        "name": _plain(name),
        "connectgaps": False,
        "line": {"width": 2},
        "marker": {"size": 4},
        "hovertemplate": "%{x|%-d %b, %H:%M} UTC<br>" + _plain(name) + ": %{text}<extra></extra>",
    }


def _lag_words(lag_ms: float) -> str:
    for unit_ms, unit in ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min")):
        if lag_ms >= unit_ms:
            return f"{lag_ms / unit_ms:.1f} {unit}"
    return f"{lag_ms / 1000:.1f} s"


def _moment(moment: datetime) -> str:
    # Without a zone: plotly.js shows times as written, and axes here are UTC.
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _plain(name: str) -> str:
    """Plotly reads some HTML, and names in braces, in its labels."""
    return name.translate(LABEL_SIGNS)
