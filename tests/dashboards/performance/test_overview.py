from dataclasses import replace
from datetime import UTC, date, datetime

from dashboards.performance.overview.cards import endpoint_cards, page_cards
from dashboards.performance.overview.sorting import PAGE_SORTS, in_order
from dashboards.performance.trend import every_step, every_week
from dashboards.shared.metrics import figure
from errata.performance.metric import SHOWN
from errata.period import Period
from errata.reports.unended import unended_words
from errata.warehouse.queries.performance.page_views import PageRow, Percentiles, TrendRow
from errata.warehouse.queries.performance.unended import Unended

RANGE = Period("2026-11-21T14:00Z/2026-11-21T16:00Z").at(datetime(2026, 11, 22, tzinfo=UTC))
KNOWN = Percentiles(100.0, 200.0, 400.0)
ROW = PageRow("/", "navigate", 10, {metric.name: KNOWN for metric in SHOWN}, 5.0, 6.0, 3, {})


def with_metric(page: str, name: str, known: Percentiles) -> PageRow:
    return replace(ROW, page=page, percentiles={**ROW.percentiles, name: known})


def test_rows_are_sorted_by_p75_and_those_without_a_value_come_last_either_way() -> None:
    slow = with_metric("/slow", "load_ms", Percentiles(1.0, 900.0, 2.0))
    unknown = with_metric("/unknown", "load_ms", Percentiles())
    rows = [unknown, ROW, slow]
    assert [row.page for row in in_order(rows, "-load_ms", PAGE_SORTS)] == ["/slow", "/", "/unknown"]
    assert [row.page for row in in_order(rows, "load_ms", PAGE_SORTS)] == ["/", "/slow", "/unknown"]
    assert [row.page for row in in_order(rows, "page", PAGE_SORTS)] == ["/", "/slow", "/unknown"]


def test_a_column_that_is_not_there_sorts_nothing() -> None:
    assert in_order([ROW], "__class__", PAGE_SORTS) == [ROW]


def test_weeks_without_views_are_filled_from_the_first_monday_on() -> None:
    known = TrendRow(date(2026, 11, 9), 1, 1, 1.0, 2.0, 3.0, None)
    weeks = every_week([known], date(2026, 11, 4), date(2026, 11, 21))
    assert [week.start for week in weeks] == [date(2026, 11, 2), date(2026, 11, 9), date(2026, 11, 16)]
    assert [week.p75 for week in weeks] == [None, 2.0, None]


def test_views_that_a_clock_ahead_has_dated_after_now_are_part_of_the_trend() -> None:
    now = datetime(2026, 11, 21, 16, 58, tzinfo=UTC)
    ahead = TrendRow(datetime(2026, 11, 21, 17, tzinfo=UTC), 1, 1, 1.0, 2.0, 3.0, None)
    hours = every_step([ahead], Period("24h").at(now), "hour")
    assert (len(hours), hours[-1]) == (26, ahead)
    assert every_step([ahead], Period("2026-11-21T14:00Z/2026-11-21T16:00Z").at(now), "hour")[-1].p75 is None


def test_cards_rate_vitals_in_words_and_are_absent_without_figures() -> None:
    cards = {
        card.name: card
        for card in page_cards(with_metric("/", "lcp_ms", Percentiles(1.0, 4100.0, 2.0)), RANGE)
    }
    assert (cards["LCP p75"].value, cards["LCP p75"].rating) == ("4.10 s", "poor")
    assert cards["INP p75"].rating == "good"
    assert list(page_cards(None, RANGE)) == list(endpoint_cards(None)) == []


def test_a_change_names_what_it_is_compared_with_or_why_there_is_none() -> None:
    span = "in previous period, 21 Nov 2026, 12:00–14:00 UTC"
    many = replace(ROW, view_count=327, view_count_before=33, changes={"load_ms": -0.093})
    note = list(page_cards(many, RANGE))[-1]
    assert (note.value, note.note) == ("−9.3%", f"vs 33 loads {span}")
    few = replace(many, view_count_before=1, changes={"load_ms": None})
    assert list(page_cards(few, RANGE))[-1].note == f"too few to compare: 1 load {span}"


def test_load_times_are_lower_bounds_where_unended_loads_reach_into_them() -> None:
    unended = Unended(5, 91, (101.0, 220.0, None), ("p75", "p95"))
    told = replace(ROW, unended=unended)
    load, lcp = list(page_cards(told, RANGE))[1:3]
    assert (load.value, load.note) == ("≥\xa0200 ms", "p50\xa0100\xa0ms · p95\xa0≥\xa0400\xa0ms")
    assert "≥" not in lcp.value + lcp.note
    assert unended_words(unended, told["load_ms"]) == (
        "5 of 91 loads had not finished when reported: p75 is 200 ms to 220 ms and p95 is at least 400 ms."
    )
    hardly = replace(unended, at_most=(100.5, 200.0, 401.0), at_least=())
    assert unended_words(hardly, told["load_ms"]).endswith("would be at most 1% higher if they had.")
    assert unended_words(ROW.unended, ROW["load_ms"]) == ""


def test_cls_has_no_unit() -> None:
    assert (figure("cls", 0.1234), figure("lcp_ms", 1234.0)) == ("0.12", "1.23 s")
