"""The history of a budget as a figure."""

from collections.abc import Sequence
from datetime import UTC, timedelta

import plotly.graph_objects as go

from errata.budgets.state import Evaluation
from errata.budgets.wording import independent
from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.chart_template import drawn, meta_of, plain
from errata.reports.chart_values import shown, value_axis
from errata.reports.date_axis import date_axis
from errata.reports.figures import figure


def budget_over_time(evaluations: Sequence[Evaluation], threshold: float, name: str, unit: Unit) -> go.Figure:
    """Each window's figure at its end, a gap where too few samples came, and the budget as a line."""
    of = formats.chart_zone(evaluations[-1].at) if evaluations else UTC
    moments = [formats.chart_moment(each.at, of) for each in evaluations]
    values = shown(each.value if each.is_measured else None for each in evaluations)
    windows = zip(values, evaluations, strict=True)
    lines = [
        go.Scatter(
            mode="lines",
            x=moments,
            y=values,
            name=plain(name),
            connectgaps=False,
            line={"width": 2},
            hovertext=[f"{figure(value, unit)}, {independent(each)}" for value, each in windows],
        ),
        go.Scatter(
            mode="lines",
            x=[moments[0], moments[-1]] if moments else [],
            y=[threshold] * (2 if moments else 0),
            name=f"budget {figure(threshold, unit)}",
            line={"width": 1.5, "dash": "dash"},
            hoverinfo="skip",
        ),
    ]
    layout = {
        "xaxis": date_axis(
            [each.at for each in evaluations],
            timedelta(),
            of,
            f"until {formats.chart_minute(of)}",
            [each.at for each, value in zip(evaluations, values, strict=True) if value is not None],
        ),
        "meta": meta_of(timedelta(), of),
        "yaxis": value_axis([*values, threshold], unit),
        "showlegend": True,
    }
    return drawn(lines, layout)
