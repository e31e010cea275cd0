"""Local days and hours where clocks change, and in zones that are half an hour beside UTC."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from plotly.graph_objects import Figure

from errata.performance.metric import Unit
from errata.period import HOUR, Period, TimeRange
from errata.reports import charts, formats
from errata.reports.chart_marks import with_deploys
from tests.errata.workflow.office_hours import CLOCK_CHANGES, ClockChange

DAY = timedelta(days=1)
NOW = datetime(2026, 12, 31, tzinfo=UTC)
MOMENT = "%Y-%m-%d %H:%M:%S"
each_change = pytest.mark.parametrize("change", CLOCK_CHANGES, ids=lambda change: change.name)


@dataclass(frozen=True)
class Shown:
    start: datetime
    p50: float | None = 1.0
    p75: float | None = 2.0
    p95: float | None = 3.0


def chosen(change: ClockChange, first: date, last: date) -> TimeRange:
    return Period.parse(f"{first}/{last}", ZoneInfo(change.zone), NOW).of_events(NOW)


def local_day(change: ClockChange) -> date:
    return change.began.astimezone(ZoneInfo(change.zone)).date()


@pytest.fixture(autouse=True)
def in_utc_afterwards() -> Iterator[None]:
    yield
    formats.show_in(UTC)


def moments(figure: Figure) -> list[datetime]:
    return [datetime.strptime(x, MOMENT).replace(tzinfo=UTC) for x in figure.data[0].x]


@each_change
def test_a_local_day_has_23_to_25_hours_and_no_hour_counts_twice(change: ClockChange) -> None:
    day = local_day(change)
    days = [chosen(change, day + number * DAY, day + number * DAY) for number in range(-2, 3)]
    for one, asked in zip(days, range(-2, 3), strict=True):
        hours = (one.until - one.since) / HOUR
        assert hours in ((23, 24, 25) if not asked else (24,))
        assert one.bucket_starts[0] == one.since and len(one.bucket_starts) == hours
    # A day of half an hour more or less holds the whole hours that it has a part of.
    overlaps = [before.until - after.since for before, after in pairwise(days)]
    assert overlaps == [timedelta(0)] * 4 or (change.zone == "Australia/Lord_Howe" and max(overlaps) <= HOUR)
    both = chosen(change, day + DAY, day + 2 * DAY)
    assert both.until - both.since == 2 * DAY


@each_change
def test_bars_of_hours_are_one_after_another_and_add_up(change: ClockChange) -> None:
    zone, day = ZoneInfo(change.zone), local_day(change)
    formats.show_in(zone)
    for first, last in ((day, day), (day - DAY, day), (day - DAY, day + 6 * DAY)):
        one = chosen(change, first, last)
        for starts, step in ((one.bucket_starts, one.bucket), (one.steps().starts, one.steps().step)):
            length = one.until - one.since
            events = [
                one.since + number * timedelta(minutes=10)
                for number in range(length // timedelta(minutes=10))
            ]
            counts = [sum(start <= event < start + step for event in events) for start in starts]
            figure = charts.events_over_time(starts, [("errors", counts)])
            shown = moments(figure)
            assert sum(figure.data[0].y) == len(events)
            assert {after - before for before, after in pairwise(shown)} <= {step}
            # The chart ends by the clock of pages; UTC days are in UTC.
            is_utc = formats.is_of_utc_days(starts[0], step)
            offset = (starts[-1] + step).astimezone(UTC if is_utc else zone).utcoffset()
            assert shown[-1] - starts[-1] == offset
            begin, end = figure.layout.xaxis.range
            assert begin <= figure.data[0].x[0] and figure.data[0].x[-1] < end
            marked = with_deploys(figure, [(starts[0] + step / 2, "shop@2")])
            (line,) = marked.layout.shapes
            assert figure.data[0].x[0] < line.x0 < figure.data[0].x[1]


def test_bars_of_local_days_carry_local_dates() -> None:
    formats.show_in(ZoneInfo("Europe/Berlin"))
    first = date(2026, 11, 10)
    one = Period.parse(f"{first}/{first + 13 * DAY}", ZoneInfo("Europe/Berlin"), NOW).of_events(NOW)
    steps = one.steps()
    assert (steps.step, steps.count) == (DAY, 14)
    figure = charts.events_over_time(steps.starts, [("errors", [1] * 14)])
    assert [shown.date() for shown in moments(figure)] == [first + number * DAY for number in range(14)]
    assert {shown.hour for shown in moments(figure)} == {0}
    assert figure.layout.xaxis.hoverformat.endswith("%H:%M CET")
    assert figure.layout.meta["offset_ms"] == 3_600_000
    utc = [datetime(2026, 11, 10, tzinfo=UTC) + number * DAY for number in range(14)]
    figure = charts.events_over_time(utc, [("errors", [1] * 14)])
    assert figure.layout.xaxis.hoverformat.endswith("%Y, UTC") and figure.layout.meta["offset_ms"] == 0


@each_change
def test_a_chart_across_a_change_names_its_zone(change: ClockChange) -> None:
    formats.show_in(ZoneInfo(change.zone))
    starts = [change.began + number * HOUR for number in range(-12, 12)]
    figure = charts.trend([Shown(start) for start in starts], HOUR, "Load", Unit.MS)
    assert len(set(figure.data[0].x)) == 24 and figure.layout.meta["step_ms"] == 3_600_000
    name = formats.chart_zone(starts[-1] + HOUR).tzname(None)
    title = figure.layout.xaxis.title.text
    assert title == (None if change.zone == "Asia/Kolkata" else f"times in {name}")
    assert figure.layout.xaxis.hoverformat.endswith(f" {name}")
    # charts.js finds the moment of a bar by the offset.
    offset = timedelta(milliseconds=figure.layout.meta["offset_ms"])
    assert [moment - offset for moment in moments(figure)] == starts
