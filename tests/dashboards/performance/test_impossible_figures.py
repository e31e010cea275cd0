"""What was stored before numbers had bounds: charts stay small and finite, whatever the figure."""

import math
from datetime import UTC, date, datetime, timedelta

from dashboards.performance.waterfall.view import MOST_TICKS, Scale
from errata.budgets.history import History
from errata.budgets.limit import LARGEST, limit_of
from errata.budgets.state import Evaluation, State
from errata.budgets.suggestion import ROOM, suggestion
from errata.reports.line_chart import line_chart
from tests.cases import each

IMPOSSIBLE = [1e9, 1e12, 1e18, 1e308, math.inf, math.nan]
LIMIT = limit_of({"metric": "load_ms", "threshold": 1})
NOW = datetime(2026, 11, 23, tzinfo=UTC)


@each("end_ms", [9.0, 340.0, 86_400_000.0, *IMPOSSIBLE])
def test_an_axis_of_time_has_few_ticks_however_long_the_load(end_ms: float) -> None:
    ticks = []
    for tick in Scale.to(end_ms).ticks():
        ticks.append(tick)
        assert len(ticks) <= MOST_TICKS + 1
    assert [tick.left for tick in ticks] == sorted({tick.left for tick in ticks})
    assert len(ticks) > 1


@each("value", IMPOSSIBLE)
def test_a_chart_for_paper_leaves_out_what_no_axis_shows(value: float) -> None:
    days = [(date(2026, 11, 1) + timedelta(days=number), 10.0 + number) for number in range(4)]
    chart = line_chart([*days, (date(2026, 11, 5), value)])
    assert chart is not None
    assert not {"nan", "inf"} & set(chart.path.replace("L", " ").replace("M", " ").split())
    assert all(math.isfinite(mark.place) and mark.words for mark in chart.marks)


@each("value", IMPOSSIBLE)
def test_no_budget_is_suggested_for_a_figure_that_cannot_be(value: float) -> None:
    evaluation = Evaluation(NOW, 1000, 1000, value, State.KEPT, State.KEPT)
    suggested = suggestion(LIMIT, History([evaluation], NOW))
    assert suggested is None or suggested.threshold <= LARGEST
    assert (suggested is None) == (not value * ROOM <= LARGEST)
