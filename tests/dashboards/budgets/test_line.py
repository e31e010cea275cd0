from datetime import UTC, datetime, timedelta
from itertools import pairwise

from dashboards.budgets.line import HEIGHT, WIDTH, budget_line
from errata.budgets.state import Evaluation, State, outcome
from errata.performance.metric import Unit
from errata.reports.budget_chart import budget_over_time
from errata.reports.chart_marks import LABELS_ACROSS, LONGEST_LOW_LABEL, MOST_DEPLOYS, with_deploys

START = datetime(2026, 11, 1, tzinfo=UTC)


def evaluated(*values: float | None) -> list[Evaluation]:
    return [
        Evaluation(START + number * timedelta(hours=1), 9, value, outcome(value, 9, 100, 5), State.UNKNOWN)
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
    # Two within a twentieth of the width: the later one is named, and tells of the other.
    assert [note["text"] for note in layout["annotations"]] == ["shop@31 +1", "shop@120"]
    assert layout["annotations"][0]["hovertext"] == (
        "shop@30, Mon 2 Nov 2026, 06:00 UTC<br>shop@31, Mon 2 Nov 2026, 07:00 UTC"
    )


def test_a_low_chart_has_short_labels_and_tells_whole_names_where_they_are_pointed_at() -> None:
    drawn = budget_over_time(evaluated(*[50.0] * 200), 100, "Load", Unit.MS)
    names = ("shop@1.1.0", "shop-web@1.1.0", "0123456789abcdef")
    starts = [(START + timedelta(hours=30 * number), name) for number, name in enumerate(names)]
    notes = with_deploys(drawn, starts, longest=LONGEST_LOW_LABEL)["layout"]["annotations"]
    assert [note["text"] for note in notes] == ["shop@1.1.0", "shop-web@1.1.0", "0123456…abcdef"]
    assert [note["hovertext"].partition(",")[0] for note in notes] == list(names)


def test_labels_stand_beside_each_other_on_a_telephone_and_inside_the_chart() -> None:
    drawn = budget_over_time(evaluated(*[50.0] * 200), 100, "Load", Unit.MS)
    starts = [(START + timedelta(hours=7 * number), f"shop@{number}") for number in range(28)]
    notes = with_deploys(drawn, starts)["layout"]["annotations"]
    moments = [datetime.fromisoformat(note["x"]) for note in notes]
    begin, end = (datetime.fromisoformat(at) for at in drawn["layout"]["xaxis"]["range"])
    assert min(after - before for before, after in pairwise(moments)) >= (end - begin) / LABELS_ACROSS
    assert sum(note["hovertext"].count("<br>") + 1 for note in notes) == MOST_DEPLOYS
    # Left of the first line there is no room.
    (first,) = with_deploys(drawn, [(START, "shop@1")])["layout"]["annotations"][-1:]
    assert (first["xanchor"], first["xshift"]) == ("left", 2)
