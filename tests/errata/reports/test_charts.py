import json
import re
from colorsys import rgb_to_hls
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errata.budgets.state import Evaluation, State
from errata.performance.metric import Unit
from errata.reports import charts
from errata.reports.budget_chart import budget_over_time
from errata.reports.chart_marks import with_deploys
from errata.reports.chart_template import document, templates
from errata.reports.chart_values import shown, value_axis
from tests.cases import each

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)


@dataclass
class Week:
    start: datetime
    p50: float | None
    p75: float | None
    p95: float | None


HOURS = [MONDAY + timedelta(hours=number) for number in range(3)]


@given(values=st.lists(st.floats(allow_nan=False, min_value=0) | st.none()), unit=st.sampled_from(Unit))
@example(values=[5e-324], unit=Unit.MS)
@example(values=[1e300], unit=Unit.RATIO)
def test_an_axis_holds_all_values_that_it_shows(values: list[float | None], unit: Unit) -> None:
    axis = value_axis(values, unit)
    ticks = axis["tickvals"]
    assert ticks == sorted(set(ticks)) and len(set(axis["ticktext"])) == len(ticks)
    assert axis["range"][1] >= max((value for value in shown(values) if value is not None), default=0.0)


def test_spans_without_events_are_bars_of_height_zero() -> None:
    figure = document(charts.events_over_time(HOURS, [("production", [3, 0, 1]), ("", [0, 0, 2])]))
    assert [(bars["name"], bars["y"]) for bars in figure["data"]] == [
        ("production", [3, 0, 1]),
        ("not set", [0, 0, 2]),
    ]
    assert figure["data"][0]["x"][0] == "2026-11-16 00:00:00"
    assert figure["layout"]["yaxis"]["range"] == [0, 4.2]


def test_many_environments_are_drawn_as_a_few_and_the_others_together() -> None:
    figure = document(charts.events_over_time(HOURS, [(f"e{number}", [1, 0, number]) for number in range(7)]))
    assert [bars["name"] for bars in figure["data"]] == ["e0", "e1", "e2", "e3", "3 others"]
    assert figure["data"][-1]["y"] == [3, 0, 15]


def test_names_hold_nothing_that_plotly_reads_as_markup() -> None:
    (bars,) = charts.events_over_time(HOURS, [("<b>%{x}&lt;", [1, 1, 1])])["data"]
    assert not set(bars["name"]) & set("<>%&")
    (average, _) = charts.slowest_endpoints([("GET <a>/%{y}", 1.0, 2.0)])["data"]
    assert not set(average["y"][0]) & set("<>%&")


def test_a_week_without_samples_is_a_gap_in_each_line() -> None:
    weeks = [Week(MONDAY, 1.0, 2.0, 3.0), Week(MONDAY, None, None, None)]
    figure = document(charts.weekly_trend(weeks, "load", Unit.MS))
    assert [(line["name"], line["y"], line["connectgaps"]) for line in figure["data"]] == [
        ("p50", [1.0, None], False),
        ("p75", [2.0, None], False),
        ("p95", [3.0, None], False),
    ]


def test_lines_differ_by_more_than_colour() -> None:
    figure = charts.weekly_trend([Week(MONDAY, 1.0, 2.0, 3.0)], "load", Unit.MS)
    assert len({line["line"]["dash"] for line in figure["data"]}) == 3


def test_figures_hold_only_traces_that_the_served_bundle_draws_and_no_template_of_their_own() -> None:
    for figure in (
        charts.events_over_time([], []),
        charts.weekly_trend([], "CLS", Unit.SCORE),
        charts.slowest_endpoints([("GET /", None, 1.0)]),
        charts.longest_lags([("web-1", [(MONDAY, 1)])], timedelta(hours=1), MONDAY, MONDAY),
        budget_over_time([], 100, "load", Unit.MS),
    ):
        sent = document(figure)
        assert {trace["type"] for trace in sent["data"]} <= charts.TRACE_TYPES
        assert "template" not in sent["layout"]


def test_a_notebook_shows_a_figure_in_the_light_colours_of_the_pages() -> None:
    figure = charts.weekly_trend([], "load", Unit.MS)
    assert figure.layout.template.layout.to_plotly_json() == templates()["light"]["layout"]


def test_axes_and_hovers_write_values_as_tables_do() -> None:
    figure = charts.weekly_trend([Week(MONDAY, 812.0, 1580.0, None)], "load", Unit.MS)
    assert [line.hovertext[0] for line in figure.data] == ["p50 812 ms", "p75 1.58 s", "p95 –"]
    assert list(figure.layout.yaxis.ticktext) == ["0 s", "500 ms", "1 s", "1.5 s"]
    (average, p95) = charts.slowest_endpoints([("GET /", 90_000.0, 0.0214)]).data
    assert (average.hovertext[0], p95.hovertext[0]) == ("average 1 min 30 s", "p95 0.0214 ms")


@each(
    ("unit", "highest", "words"),
    [
        (Unit.MS, 250_000, ["0 s", "1 min", "2 min", "3 min", "4 min"]),
        (Unit.BYTES, 312_500, ["0 B", "100 KB", "200 KB", "300 KB"]),
        (Unit.RATIO, 0.043, ["0%", "1%", "2%", "3%", "4%"]),
        (Unit.SCORE, 0.23, ["0", "0.05", "0.1", "0.15", "0.2"]),
        (Unit.COUNT, 23_456, ["0", "5,000", "10k", "15k", "20k"]),
        (Unit.COUNT, 0, ["0", "1"]),
        (Unit.MS, float("inf"), ["0 ms", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1 ms"]),
    ],
)
def test_an_axis_has_few_round_ticks_in_words(unit: Unit, highest: float, words: list[str]) -> None:
    assert value_axis([highest, None], unit)["ticktext"] == words


VALUES = [
    0.0,
    *(sign * digit * 10.0**power for power in range(-4, 8) for digit in (1, 1.58, 9.996) for sign in (1,)),
]
WORDS = {
    Unit.MS: re.compile(r"(\d{1,3}(,\d{3})*(\.\d+)? (ms|s|min|h|d)( \d+ (s|min|h))?)"),
    Unit.BYTES: re.compile(r"\d{1,3}(\.\d)? (B|KB|MB)"),
    Unit.SCORE: re.compile(r"\d+(\.\d{1,2})?"),
    Unit.RATIO: re.compile(r"<?\d+(\.\d)?%"),
    Unit.COUNT: re.compile(r"\d{1,3}(,\d{3})*(\.\d)?[kM]?"),
}


@pytest.mark.slow
@each("unit", list(WORDS))
def test_values_of_every_size_are_in_words_in_every_chart(unit: Unit) -> None:
    for value in VALUES:
        week = Week(MONDAY, value, value, value)
        trend = charts.weekly_trend([week], "it", unit)
        budget = budget_over_time(
            [Evaluation(MONDAY, 9, 9, value, State.KEPT, State.KEPT)], value or 1, "it", unit
        )
        shown = [line.hovertext[0].partition(" ")[2] for line in trend.data]
        shown.append(budget.data[0].hovertext[0].partition(", ")[0])
        for one in (*shown, *trend.layout.yaxis.ticktext, *budget.layout.yaxis.ticktext):
            assert WORDS[unit].fullmatch(one), (value, one)
        assert len(set(trend.layout.yaxis.ticktext)) == len(trend.layout.yaxis.ticktext), value


def test_no_chart_leaves_a_number_to_be_written_in_the_browser() -> None:
    drawn = [
        charts.events_over_time(HOURS, [("production", [1580, 0, 1])]),
        charts.weekly_trend([Week(MONDAY, 1.0, 2.0, 3.0)], "load", Unit.MS),
        charts.trend([Week(MONDAY, 1.0, 2.0, 3.0)], timedelta(days=1), "load", Unit.MS),
        charts.slowest_endpoints([("GET /", 1580.0, 1.0)]),
        charts.longest_lags([("web-1", [(MONDAY, 1)])], timedelta(hours=1), MONDAY, MONDAY),
        budget_over_time([Evaluation(MONDAY, 9, 9, 1580, State.KEPT, State.KEPT)], 100, "load", Unit.MS),
    ]
    assert drawn[0].data[0].hovertext[0] == "1,580 production"
    for figure in drawn:
        assert all(trace.hovertext or trace.hoverinfo == "skip" for trace in figure.data)
        sent = json.dumps(document(figure))
        assert not re.search(r"%\{[yz]|tickformat\"|%\{x:", sent)


def test_a_young_project_begins_near_its_first_data_and_says_so() -> None:
    weeks = [Week(MONDAY + timedelta(weeks=number), None, None, None) for number in range(13)]
    weeks.append(Week(MONDAY + timedelta(weeks=13), 1.0, 2.0, 3.0))
    axis = charts.weekly_trend(weeks, "load", Unit.MS).layout.xaxis
    # The last four weeks, to the end of the last.
    assert axis.range == ("2027-01-25 00:00:00", "2027-02-22 00:00:00")
    assert axis.title.text == "no data before 15 Feb 2027"
    old = charts.weekly_trend([Week(MONDAY, 1.0, 2.0, 3.0), *weeks[1:]], "load", Unit.MS).layout.xaxis
    assert (old.range[0], old.title.text) == ("2026-11-16 00:00:00", None)


def test_the_first_worse_day_is_right_of_the_release_that_made_it_worse() -> None:
    days = [MONDAY + timedelta(days=number) for number in range(7)]
    released = days[3] + timedelta(hours=9, minutes=7)
    values = [1.0 if day < days[3] else 2.0 for day in days]
    steps = [Week(day, value, value, value) for day, value in zip(days, values, strict=True)]
    day = timedelta(days=1)
    figure = with_deploys(charts.trend(steps, day, "load", Unit.MS), [(released, "shop@2")])
    figure = charts.with_before(figure, values, Unit.MS)
    (line,) = figure.layout.shapes
    for trace in figure.data:
        assert (trace.xperiod, trace.xperiodalignment) == (86_400_000, "middle")
        drawn_at = [datetime.fromisoformat(start) + day / 2 for start in trace.x]
        before, worse = (drawn_at[number] for number in (2, 3))
        assert before < datetime.fromisoformat(line.x0) < worse
    # Ticks stand under the values, which are named by their day.
    assert figure.layout.xaxis.tick0 == "2026-11-16 12:00:00"


def test_series_without_a_meaning_are_neither_red_nor_orange_nor_green() -> None:
    def hue(color: str) -> float:
        return rgb_to_hls(*(int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)))[0] * 360

    for colors in (template["layout"]["colorway"] for template in templates().values()):
        assert not [color for color in colors if hue(color) < 40 or 90 < hue(color) < 165 or hue(color) > 340]


def test_one_day_is_a_chart_with_days_as_ticks() -> None:
    axis = charts.trend([Week(MONDAY, 1.0, 2.0, 3.0)], timedelta(days=1), "load", Unit.MS).layout.xaxis
    assert (axis.range[1], axis.dtick) == ("2026-11-17 00:00:00", 86_400_000)


def test_a_bar_covers_its_span_of_time() -> None:
    figure = charts.events_over_time(HOURS, [("production", [3, 0, 1])])
    assert (figure.data[0].offset, figure.data[0].width) == (0, 0.85 * 3_600_000)
    assert figure.layout.xaxis.range == ("2026-11-16 00:00:00", "2026-11-16 03:00:00")


def test_both_templates_set_the_same_things_and_stay_small() -> None:
    light, dark = templates()["light"], templates()["dark"]
    assert _keys(light) == _keys(dark)
    assert light != dark
    assert len(json.dumps(light)) < 2_000


def _keys(value: object, path: str = "") -> set[str]:
    if not isinstance(value, dict):
        return {path}
    return {key for name, item in value.items() for key in _keys(item, f"{path}.{name}")}


def test_lags_are_lines_by_host_with_the_rest_together_and_gaps_where_nothing_came() -> None:
    start, hour = datetime(2026, 11, 21, tzinfo=UTC), timedelta(hours=1)
    hosts = [(f"web-{number}", [(start, 1_000 * (number + 1))]) for number in range(6)]
    hosts.append(("slow", [(start, 0), (start + 3 * hour, 7_200_000)]))
    figure = document(charts.longest_lags(hosts, hour, start, start + 4 * hour))
    assert [line["name"] for line in figure["data"]] == ["slow", "web-5", "web-4", "web-3", "3 others"]
    assert figure["data"][0]["y"] == [charts.SHORTEST_LAG_MS, None, 7_200_000]
    assert figure["data"][0]["hovertext"] == ["slow: 100 ms", "slow: –", "slow: 2 h"]
    assert figure["data"][-1]["y"] == [3_000]
    assert {line["type"] for line in figure["data"]} <= charts.TRACE_TYPES
    assert figure["layout"]["yaxis"]["ticktext"][-1] == "1 h"
    assert figure["layout"]["xaxis"]["range"] == ["2026-11-21 00:00:00", "2026-11-21 04:00:00"]
