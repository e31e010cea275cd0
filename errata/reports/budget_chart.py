"""The history of a budget as a figure."""

from collections.abc import Sequence

import plotly.graph_objects as go

from errata.budgets.state import Evaluation, State
from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.chart_marks import moment_words
from errata.reports.chart_template import DATE_AXIS, drawn, plain
from errata.reports.chart_values import shown, value_axis
from errata.reports.figures import figure


def budget_over_time(evaluations: Sequence[Evaluation], threshold: float, name: str, unit: Unit) -> go.Figure:
    """Each window's figure at its end, a gap where too few samples came, and the budget as a line."""
    moments = [moment_words(each.at) for each in evaluations]
    values = shown(None if each.outcome is State.UNKNOWN else each.value for each in evaluations)
    windows = zip(values, evaluations, strict=True)
    lines = [
        go.Scatter(
            mode="lines",
            x=moments,
            y=values,
            name=plain(name),
            connectgaps=False,
            line={"width": 2},
            hovertext=[
                f"{figure(value, unit)}, {formats.plural(each.sample_count, 'sample')}"
                for value, each in windows
            ],
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
        "xaxis": {**DATE_AXIS, "hoverformat": "until %a %-d %b, %H:%M UTC"},
        "yaxis": value_axis([*values, threshold], unit),
        "showlegend": True,
    }
    return drawn(lines, layout)
