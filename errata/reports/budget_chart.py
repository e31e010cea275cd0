"""The history of a budget as a Plotly figure."""

from collections.abc import Sequence

from errata.budgets.metric import Unit
from errata.budgets.state import Evaluation, State
from errata.reports.chart_template import Figure

WORDS = {Unit.MS: ("ms", 1.0), Unit.BYTES: ("KB", 1000.0), Unit.RATIO: ("%", 0.01)}


def budget_over_time(evaluations: Sequence[Evaluation], threshold: float, name: str, unit: Unit) -> Figure:
    """Each window's figure at its end, a gap where too few samples came, and the budget as a line."""
    word, scale = WORDS.get(unit, ("", 1.0))
    moments = [each.at.strftime("%Y-%m-%d %H:%M:%S") for each in evaluations]
    ending = f" {word}" if word else ""
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": moments,
            "y": [
                None if each.value is None or each.outcome is State.UNKNOWN else each.value / scale
                for each in evaluations
            ],
            "text": [f"{each.sample_count:,} samples" for each in evaluations],
            "name": name.replace("%", "％"),
            "connectgaps": False,
            "line": {"width": 2},
            "hovertemplate": f"%{{y:,.4~r}}{ending}, %{{text}}<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": [moments[0], moments[-1]] if moments else [],
            "y": [threshold / scale] * (2 if moments else 0),
            "name": "budget",
            "line": {"width": 1.5, "dash": "dash"},
            "hoverinfo": "skip",
        },
    ]
    layout = {
        "xaxis": {"type": "date", "tickformat": "%-d %b", "hoverformat": "until %a %-d %b, %H:%M UTC"},
        "yaxis": {"title": {"text": word}, "rangemode": "tozero", "separatethousands": True},
        "showlegend": True,
    }
    return {"data": lines, "layout": layout}
