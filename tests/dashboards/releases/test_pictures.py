"""What of a release's effects is drawn, in which order, without a warehouse."""

import json
from dataclasses import replace

from dashboards.releases.pictures import MOST_ROWS, effects_picture, in_importance
from dashboards.shared.addresses import View
from errata.warehouse.queries.performance.releases import Interval
from tests.dashboards.releases.effects import EFFECT

VIEW = View("/release", {"version": "shop@1.1"})


def test_worse_comes_before_better_and_the_surest_change_first() -> None:
    effects = [
        replace(EFFECT, page="/unknown", verdict="not_enough_data"),
        replace(EFFECT, page="/same", verdict="no_change"),
        replace(EFFECT, verdict="no_change", after_count=1),
        replace(EFFECT, page="/faster", verdict="better", ratio=Interval(-0.5, -0.6, -0.4)),
        replace(EFFECT, page="/maybe", ratio=Interval(0.9, 0.05, 2.0)),
        replace(EFFECT, page="/slower", ratio=Interval(0.3, 0.2, 0.4)),
    ]
    assert [one.page for one in in_importance(effects)] == [
        "/slower",
        "/maybe",
        "/faster",
        "",
        "/same",
        "/unknown",
    ]


def test_the_picture_has_twenty_rows_at_most_and_leaves_differences_to_the_table() -> None:
    many = [replace(EFFECT, page=f"/{number}") for number in range(MOST_ROWS + 5)]
    picture = effects_picture([*many, replace(EFFECT, metric="cls", ratio=None)], VIEW)
    assert picture is not None
    assert (picture.shown, picture.drawable, picture.has_others) == (MOST_ROWS, MOST_ROWS + 5, True)
    assert (
        picture.words == "Effects with 95% intervals: Load time · /0: +20% (95% interval +12% to +29%), worse"
    )
    figure = json.loads(picture.figure)
    assert next(one for trace in figure["data"] for one in trace["customdata"]) == (
        "/release?version=shop%401.1&page=%2F0&metric=load_ms#distribution"
    )
    assert effects_picture([replace(EFFECT, ratio=None)], VIEW) is None


def test_without_enough_data_only_the_interval_is_told() -> None:
    picture = effects_picture([replace(EFFECT, verdict="not_enough_data")], VIEW)
    assert picture is not None
    assert picture.words.endswith("Load time · all pages: 95% interval +12% to +29%, undecided")
