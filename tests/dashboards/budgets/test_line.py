from dataclasses import replace
from datetime import UTC, datetime, timedelta

from dashboards.budgets.line import HEIGHT, WIDTH, budget_line
from errata.budgets.reason import Reason
from errata.budgets.state import Evaluation, State, outcome
from errata.performance.metric import Unit
from errata.reports.budget_chart import budget_over_time
from errata.reports.chart_marks import (
    LONGEST_LABEL,
    MOST_ANNOTATIONS,
    MOST_DEPLOYS,
    with_annotations,
    with_deploys,
)
from errata.state.annotations import Note
from tests.annotated import annotated

START = datetime(2026, 11, 1, tzinfo=UTC)


def evaluated(*values: float | None) -> list[Evaluation]:
    return [
        Evaluation(START + number * timedelta(hours=1), 9, 9, value, outcome(value, 9, 100, 5, value))
        for number, value in enumerate(values)
    ]


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


def test_releases_are_marked_on_the_history_of_a_budget() -> None:
    drawn = budget_over_time(evaluated(*[50.0] * 200), 100, "Load", Unit.MS)
    starts = [(START + timedelta(hours=at), f"shop@{at}") for at in (30, 31, 120)]
    layout = with_deploys(drawn, starts)["layout"]
    assert [shape["x0"] for shape in layout["shapes"]] == [
        "2026-11-02 06:00:00",
        "2026-11-02 07:00:00",
        "2026-11-06 00:00:00",
    ]
    assert [mark["label"] for mark in layout["meta"]["marks"]] == ["shop 30", "shop 31", "shop 120"]
    assert layout["meta"]["marks"][0]["words"] == "shop@30, Mon 2 Nov 2026, 06:00 UTC"
    # The point of that hour tells of it.
    assert drawn["data"][0]["hovertext"][30] == (
        "50.0 ms, 9 samples, 9 independent<br>shop@30, Mon 2 Nov 2026, 06:00 UTC"
    )


def test_what_people_noted_is_marked_on_the_history_of_a_budget_and_spans_end_in_it() -> None:
    drawn = budget_over_time(evaluated(*[50.0] * 200), 100, "Load", Unit.MS)
    begin, end = drawn["layout"]["xaxis"]["range"]
    notes = [
        Note("Before", START - timedelta(days=9), START - timedelta(days=3)),
        Note("Sale", START - timedelta(days=1), START + timedelta(days=99)),
        *(
            Note(f"Deploy {number}", START + timedelta(hours=number))
            for number in range(MOST_ANNOTATIONS - 1)
        ),
        Note("After", START + timedelta(days=98)),
    ]
    annotations = [annotated(note) for note in notes]
    layout = with_annotations(drawn, annotations)["layout"]
    assert [mark["label"] for mark in layout["meta"]["marks"]][:2] == ["Sale", "Deploy 0"]
    assert len(layout["meta"]["marks"]) == MOST_ANNOTATIONS
    (band,) = [shape for shape in layout["shapes"] if shape["type"] == "rect"]
    assert (band["x0"], band["x1"]) == (begin, end)
    assert {shape["line"]["dash"] for shape in layout["shapes"] if shape["type"] == "line"} == {"longdash"}


def test_of_many_releases_the_latest_are_marked_by_short_labels_and_whole_words() -> None:
    drawn = budget_over_time(evaluated(*[50.0] * 200), 100, "Load", Unit.MS)
    starts = [(START + timedelta(hours=7 * number), f"shop@{number}") for number in range(27)]
    long = "shop@0123456789abcdef0123"
    marks = with_deploys(drawn, [*starts, (START + timedelta(hours=190), long)])["layout"]["meta"]["marks"]
    assert len(marks) == MOST_DEPLOYS and [mark["label"] for mark in marks[:2]] == ["16", "17"]
    assert marks[-1]["words"].startswith(long) and len(marks[-1]["label"]) <= LONGEST_LABEL


def test_a_window_that_chance_leaves_undecided_is_drawn_and_not_called_over() -> None:
    kept, over = evaluated(50, 150)
    undecided = replace(over, outcome=State.UNKNOWN, doubt=Reason.WITHIN_CHANCE)
    too_few = replace(over, outcome=State.UNKNOWN, doubt=Reason.FEW_SAMPLES)
    drawn = budget_line([kept, undecided, kept], 100, "")
    assert (drawn.line.count("M"), drawn.over) == (1, "")
    assert budget_line([kept, too_few, kept], 100, "").line.count("M") == 2
    figure = budget_over_time([kept, undecided, too_few], 100, "Load", Unit.MS)
    assert [value is None for value in figure.data[0].y] == [False, False, True]
