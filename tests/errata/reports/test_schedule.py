from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from errata.errors import InvalidParameter
from errata.reports.schedule import WEEKDAYS, Schedule, checked
from tests.cases import each

GIVEN: dict[str, Any] = {
    "name": " Management ",
    "weekday": "Monday",
    "hour": 8,
    "time_zone": "Europe/Prague",
    "environment": "",
    "recipients": "ada@example.org, bo@example.org; ada@example.org",
    "is_enabled": True,
}
MONDAY = checked(GIVEN)


def test_a_schedule_is_read_as_people_give_it() -> None:
    assert (
        Schedule("Management", "monday", 8, "Europe/Prague", "", ("ada@example.org", "bo@example.org"))
        == MONDAY
    )


@each(
    "wrong",
    [
        {"name": " "},
        {"weekday": "someday"},
        {"hour": 24},
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "../../etc/passwd"},
        {"environment": "a\nb"},
        {"recipients": ""},
        {"recipients": ["nobody"]},
        {"recipients": [f"{number}@example.org" for number in range(51)]},
    ],
    ids=str,
)
def test_what_is_no_schedule_is_said(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter) as told:
        checked({**GIVEN, **wrong})
    assert next(iter(wrong)) in str(told.value)


@each(
    ("now", "due"),
    [
        ("2026-11-23T06:59:59", "2026-11-16T07:00:00"),
        ("2026-11-23T07:00:00", "2026-11-23T07:00:00"),
        ("2026-11-29T23:00:00", "2026-11-23T07:00:00"),
        ("2026-07-06T06:00:00", "2026-07-06T06:00:00"),
    ],
)
def test_eight_o_clock_is_that_of_the_place_in_winter_and_summer(now: str, due: str) -> None:
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert MONDAY.last_due(moment).at == datetime.fromisoformat(due).replace(tzinfo=UTC)


def test_hours_that_a_clock_leaves_out_or_repeats_are_due_once() -> None:
    spring = replace(MONDAY, weekday="sunday", hour=2)
    assert spring.last_due(datetime(2026, 3, 29, 12, tzinfo=UTC)).at == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert spring.last_due(datetime(2026, 10, 25, 12, tzinfo=UTC)).at == datetime(2026, 10, 25, 0, tzinfo=UTC)


@each("now", ["2026-10-18T23:30", "2026-10-19T00:00", "2026-10-26T00:00"])
def test_no_week_is_left_out_where_monday_begins_before_the_week_is_over(now: str) -> None:
    early = replace(MONDAY, hour=1)
    due = early.last_due(datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert due.week + timedelta(days=7) == due.at.date()
    assert early.next_due(due.at).week == due.week + timedelta(days=7)


@settings(max_examples=60, deadline=None)
@given(
    some.sampled_from(WEEKDAYS),
    some.integers(0, 23),
    some.sampled_from(
        ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York", "Asia/Kathmandu"]
    ),
    some.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=some.just(UTC)),  # noqa: DTZ001
)
def test_every_week_is_due_once(weekday: str, hour: int, zone: str, now: datetime) -> None:
    schedule = replace(MONDAY, weekday=weekday, hour=hour, time_zone=zone)
    last, following = schedule.last_due(now), schedule.next_due(now)
    assert last.at <= now < following.at
    assert abs(following.at - last.at - timedelta(days=7)) <= timedelta(hours=1)
    assert schedule.last_due(following.at) == following
    assert schedule.last_due(following.at - timedelta(seconds=1)) == last
    assert following.week - last.week == timedelta(days=7)
    assert last.week + timedelta(days=7) <= last.at.date()
