from datetime import UTC, datetime, timedelta

import pytest

from dashboards.budget_lines import HEIGHT, WIDTH, budget_line
from dashboards.budget_words import figure, measure, place
from dashboards.form import Form
from dashboards.limit_form import LimitFields, limit_from, measured_from, written
from errata.budgets.limit import Limit
from errata.budgets.metric import METRICS
from errata.budgets.state import Evaluation, State, outcome
from errata.errors import InvalidParameter
from errata.performance.metric import Unit
from errata.reports.budget_chart import budget_over_time
from errata.reports.chart_marks import with_deploys

START = datetime(2026, 11, 1, tzinfo=UTC)


def evaluated(*values: float | None) -> list[Evaluation]:
    return [
        Evaluation(START + number * timedelta(hours=1), 9, value, outcome(value, 9, 100, 5), State.UNKNOWN)
        for number, value in enumerate(values)
    ]


def typed(**values: str) -> Form:
    usual = {"metric": "load_ms", "statistic": "p75", "threshold": "2500", "window_hours": "24"}
    return Form({name: [value] for name, value in {**usual, "least_samples": "50", **values}.items()})


def test_a_line_has_gaps_and_marks_what_is_over_the_limit() -> None:
    line = budget_line(evaluated(50, 150, None, 50), 100, "")
    assert line.line.count("M") == 2 and line.line.count("L") == 1
    assert line.over.count("M") == 1
    assert line.threshold == f"M0 {HEIGHT - HEIGHT * 100 / 162:.1f}h{WIDTH}"


def test_of_many_windows_the_highest_of_each_part_is_drawn() -> None:
    values = [50.0] * 720
    values[100] = 500.0
    line = budget_line(evaluated(*values), 100, "")
    assert line.line.count("L") + 1 == 80 and line.over.count("M") == 1


def test_a_history_without_samples_is_an_empty_line() -> None:
    for evaluations in ([], evaluated(None, None)):
        line = budget_line(evaluations, 0, "")
        assert (line.line, line.over) == ("", "")


@pytest.mark.parametrize(
    ("metric", "text", "kept"),
    [
        ("load_ms", "2,500", 2500.0),
        ("script_bytes", "312.5", 312_500.0),
        ("server_error_ratio", "1.5", 0.015),
        ("cls", "0.1", 0.1),
        ("request_count", "40", 40.0),
    ],
)
def test_a_threshold_is_typed_in_the_unit_people_read(metric: str, text: str, kept: float) -> None:
    limit = limit_from(typed(metric=metric, threshold=text))
    assert limit.threshold == kept
    assert written(kept, METRICS[metric].unit) == text.replace(",", "")
    assert LimitFields.of(limit).threshold == text.replace(",", "")


@pytest.mark.parametrize("text", ["", "much", "nan", "1e999", "-1"])
def test_a_threshold_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter):
        limit_from(typed(threshold=text))


def test_what_the_form_hides_for_a_metric_is_not_meant() -> None:
    limit = measured_from(typed(metric="call_error_ratio", device="mobile", statistic="p95"))
    assert (limit.statistic, limit.device) == ("ratio", "")


def test_a_budget_is_said_in_words() -> None:
    limit = Limit("lcp_ms", "p75", 2500, "/checkout/*", "production", "mobile")
    assert (measure(limit), place(limit)) == ("LCP p75", "/checkout/* · production · mobile · over 24 hours")
    errors = Limit("server_error_ratio", "ratio", 0.01)
    assert (measure(errors), place(errors)) == ("API errors", "all endpoints · over 24 hours")
    assert [figure(0.015, Unit.RATIO), figure(312_500, Unit.BYTES), figure(0.1, Unit.SCORE)] == [
        "1.5%",
        "312 KB",
        "0.10",
    ]
    assert [figure(value, Unit.COUNT) for value in (41.5, 30, None)] == ["41.5", "30", "–"]


def test_releases_are_marked_on_the_history_of_a_budget() -> None:
    drawn = budget_over_time(evaluated(*[50.0] * 200), 100, "Load", Unit.MS)
    starts = [(START + timedelta(hours=at), f"shop@{at}") for at in (30, 31, 120)]
    layout = with_deploys(drawn, starts)["layout"]
    assert [shape["x0"] for shape in layout["shapes"]] == [
        "2026-11-02 06:00:00",
        "2026-11-02 07:00:00",
        "2026-11-06 00:00:00",
    ]
    # Two within a fiftieth of the width: the later one is named.
    assert [note["text"] for note in layout["annotations"]] == ["shop@31", "shop@120"]


def test_a_low_chart_names_versions_and_tells_releases_where_they_are_pointed_at() -> None:
    drawn = budget_over_time(evaluated(*[50.0] * 200), 100, "Load", Unit.MS)
    names = ("shop@1.2", "0123456789abcdef", "2024-05")
    starts = [(START + timedelta(hours=30 * number), name) for number, name in enumerate(names)]
    notes = with_deploys(drawn, starts, is_low=True)["layout"]["annotations"]
    assert [note["text"] for note in notes] == ["1.2", "012345678…", "2024-05"]
    assert [note["hovertext"] for note in notes] == list(names)
