import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errata.reports import charts
from errata.reports.chart_template import templates

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)


@dataclass
class Week:
    start: datetime
    p50: float | None
    p75: float | None
    p95: float | None


HOURS = [MONDAY + timedelta(hours=number) for number in range(3)]


def test_spans_without_events_are_bars_of_height_zero() -> None:
    figure = charts.events_over_time(HOURS, [("production", [3, 0, 1]), ("", [0, 0, 2])])
    assert [(bars["name"], bars["y"]) for bars in figure["data"]] == [
        ("production", [3, 0, 1]),
        ("not set", [0, 0, 2]),
    ]
    assert figure["data"][0]["x"][0] == "2026-11-16 00:00:00"
    assert figure["layout"]["yaxis"]["range"] == [0, 4]


def test_many_environments_are_drawn_as_a_few_and_the_others_together() -> None:
    figure = charts.events_over_time(HOURS, [(f"e{number}", [1, 0, number]) for number in range(7)])
    assert [bars["name"] for bars in figure["data"]] == ["e0", "e1", "e2", "e3", "3 others"]
    assert figure["data"][-1]["y"] == [3, 0, 15]


def test_names_hold_nothing_that_plotly_reads_as_markup() -> None:
    (bars,) = charts.events_over_time(HOURS, [("<b>%{x}&lt;", [1, 1, 1])])["data"]
    assert not set(bars["name"]) & set("<>%&")
    (average, _) = charts.slowest_endpoints([("GET <a>/%{y}", 1.0, 2.0)])["data"]
    assert not set(average["y"][0]) & set("<>%&")


def test_a_week_without_samples_is_a_gap_in_each_line() -> None:
    figure = charts.weekly_trend([Week(MONDAY, 1.0, 2.0, 3.0), Week(MONDAY, None, None, None)], "load", "ms")
    assert [(line["name"], line["y"], line["connectgaps"]) for line in figure["data"]] == [
        ("p50", [1.0, None], False),
        ("p75", [2.0, None], False),
        ("p95", [3.0, None], False),
    ]


def test_lines_differ_by_more_than_colour() -> None:
    figure = charts.weekly_trend([Week(MONDAY, 1.0, 2.0, 3.0)], "load", "ms")
    assert len({line["line"]["dash"] for line in figure["data"]}) == 3


def test_figures_hold_only_traces_that_the_served_bundle_draws_and_no_template_of_their_own() -> None:
    for figure in (charts.events_over_time([], []), charts.weekly_trend([], "CLS", "")):
        assert {trace["type"] for trace in figure["data"]} <= charts.TRACE_TYPES
        assert "template" not in figure["layout"]


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
    figure = charts.longest_lags(hosts, hour, start, start + 4 * hour)
    assert [line["name"] for line in figure["data"]] == ["slow", "web-5", "web-4", "web-3", "3 others"]
    assert figure["data"][0]["y"] == [charts.SHORTEST_LAG_MS, None, 7_200_000]
    assert figure["data"][0]["text"] == ["0.1 s", None, "2.0 h"]
    assert figure["data"][-1]["y"] == [3_000]
    assert {line["type"] for line in figure["data"]} <= charts.TRACE_TYPES
    assert figure["layout"]["yaxis"]["ticktext"][-1] == "1 h"
    assert figure["layout"]["xaxis"]["range"] == ["2026-11-21 00:00:00", "2026-11-21 04:00:00"]
