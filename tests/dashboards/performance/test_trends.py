from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from dashboards.performance.trends.view import dates, shift_words, weeks_with_changes
from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.chart_marks import with_changes, with_deploys
from errata.reports.chart_meanings import BETTER, WORSE
from errata.reports.charts import weekly_trend
from errata.warehouse.queries.performance.page_views import TrendRow
from errata.warehouse.queries.performance.shifts import Shift

MONDAY = date(2026, 11, 9)
CHANGE = Shift(
    environment="production",
    page="",
    metric="load_ms",
    kind="step",
    day=date(2026, 11, 10),
    first_day=date(2026, 11, 9),
    last_day=date(2026, 11, 12),
    level_before=1000.0,
    level_after=1120.0,
    change_ratio=0.12,
    slope=0.0,
    p_value=0.001,
    went_away_on=None,
    finding=1,
    moved_together=1,
    release="shop@1.1",
    release_at=datetime(2026, 11, 9, 12, tzinfo=UTC),
)


def day(start: date, p75: float) -> TrendRow:
    return TrendRow(start, 30, 30, p75, p75, p75, None)


def test_a_change_says_by_how_much_and_when_it_may_have_been() -> None:
    assert shift_words(CHANGE) == "1.00 s → 1.12 s"
    assert dates(CHANGE) == "2026-11-09 to 2026-11-12"
    assert dates(replace(CHANGE, first_day=CHANGE.day, last_day=CHANGE.day)) == ""


def test_a_week_that_is_slower_than_earlier_weeks_varied_is_called_so() -> None:
    days = {
        MONDAY + timedelta(weeks=-ago, days=n): (100.0 + n) * (1 + ago % 2 / 100)
        for ago in range(1, 7)
        for n in range(7)
    }
    days |= {MONDAY + timedelta(days=n): (100.0 + n) * (1.11 + n / 1000) for n in range(7)}
    weeks = [day(MONDAY - timedelta(days=7), 103.0), day(MONDAY, 114.0)]
    shown = weeks_with_changes(weeks, days, MONDAY + timedelta(days=7))
    assert [week.word for week in shown] == ["slower", "steady"]
    assert shown[0].is_over and shown[0].change is not None and 0.09 < shown[0].change.value < 0.12
    assert not weeks_with_changes(weeks, {}, MONDAY + timedelta(days=6))[0].is_over


def test_a_shift_to_more_is_red_and_one_to_less_green() -> None:
    plain = weekly_trend([day(MONDAY, 100.0)], "Load time", Unit.MS)
    shifts = [(CHANGE.day, formats.change(ratio), "") for ratio in (0.12, -0.2)]
    lines = with_changes(plain, shifts).layout.shapes
    assert [line.line.color for line in lines] == [WORSE, BETTER]


def test_charts_are_marked_where_releases_began_and_levels_changed() -> None:
    plain = weekly_trend([day(MONDAY, 100.0)], "Load time", Unit.MS)
    assert not plain.layout.shapes
    hours = [datetime(2026, 11, 8, tzinfo=UTC) + timedelta(hours=11 * n) for n in range(16)]
    deploys = [(moment, f"shop@{n}") for n, moment in enumerate(hours)]
    marked = with_changes(with_deploys(plain, deploys), [(CHANGE.day, "+12%", CHANGE.release)])
    # Those before the chart begins are not on it, and of the others the latest are.
    assert len(marked["layout"]["shapes"]) == 13
    marks = marked["layout"]["meta"]["marks"]
    assert (marks[0]["kind"], marks[0]["label"]) == ("release", "shop 4")
    assert marks[-1] == {
        **{"kind": "change", "at": "2026-11-10 00:00:00", "label": "+12%"},
        "words": "+12% · shop@1.1 · 10 Nov 2026",
    }
