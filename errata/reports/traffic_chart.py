"""Traffic and errors over time, one above the other: more traffic may be why there are more errors."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import plotly.graph_objects as go

from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.chart_template import drawn, meta_of
from errata.reports.chart_values import hovers, value_axis
from errata.reports.charts import BAR_WIDTH, hover_format
from errata.reports.date_axis import date_axis

TRAFFIC_PART, ERRORS_PART = (0.44, 1.0), (0.0, 0.34)
FEW_TICKS = 3
# Red on light and on dark: errors alone are.
ERRORS = "rgba(206,72,88,0.9)"


def traffic_and_errors(
    starts: Sequence[datetime],
    step: timedelta,
    traffic: Sequence[tuple[str, Sequence[int]]],
    errors: Sequence[int],
) -> go.Figure:
    """`traffic`: counts by name, such as page loads, a line each; `errors`: events, a bar each step."""
    of = formats.chart_zone(starts[-1] + step, step)
    moments = [formats.chart_moment(start, of) for start in starts]
    lines = [
        go.Scatter(
            mode="lines",
            x=moments,
            y=list(counts),
            name=name,
            line={"width": 2, "shape": "hv"},
            hovertext=[f"{formats.count(count)} {name}" for count in counts],
        )
        for name, counts in traffic
    ]
    bars = go.Bar(
        x=moments,
        y=list(errors),
        name="error events",
        yaxis="y2",
        offset=0,
        width=step / timedelta(milliseconds=1) * BAR_WIDTH,
        marker={"color": ERRORS},
        hovertext=[f"{words} error events" for words in hovers(errors, Unit.COUNT)],
    )
    highest = [count for _, counts in traffic for count in counts]
    layout = {
        "xaxis": date_axis(starts, step, of, hover_format(starts, step, of)) | {"anchor": "y2"},
        "meta": meta_of(step, of),
        "yaxis": value_axis([4, *highest], Unit.COUNT, "Traffic", FEW_TICKS) | {"domain": TRAFFIC_PART},
        "yaxis2": value_axis([4, *errors], Unit.COUNT, "Errors", FEW_TICKS) | {"domain": ERRORS_PART},
        "showlegend": True,
    }
    return drawn([*lines, bars], layout)
