"""The times at which a job is expected, by clocks that change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from errata.monitors.config import InvalidConfig, config_of, stored_config
from errata.monitors.schedule import Crontab, Interval, InvalidSchedule, Schedule, Unit, schedule_of
from tests.cases import each

BERLIN = "Europe/Berlin"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@each(
    "schedule, begun, expected",
    [
        (Crontab("*/5 * * * *"), "2026-11-21 10:00:03", "2026-11-21 10:05"),
        # A clock slightly fast: the run is the one of 10:05.
        (Crontab("*/5 * * * *"), "2026-11-21 10:04:50", "2026-11-21 10:10"),
        (Crontab("*/5 * * * *"), "2026-11-21 10:04:20", "2026-11-21 10:05"),
        (Crontab("* * * * *"), "2026-11-21 10:00:00", "2026-11-21 10:01"),
        (Crontab("0 3 * * *", BERLIN), "2026-11-21 10:00", "2026-11-22 02:00"),
        (Crontab("@daily"), "2026-11-21 10:00", "2026-11-22 00:00"),
        (Crontab("0 9 * * MON"), "2026-11-21 10:00", "2026-11-23 09:00"),
        (Crontab("30 6 1 * *"), "2026-11-21 10:00", "2026-12-01 06:30"),
        # 2:30 doesn't exist on this night: the job runs when the clock has gone forward.
        (Crontab("30 2 * * *", BERLIN), "2026-03-28 02:00", "2026-03-29 01:00"),
        # 2:30 is there twice: the job runs once.
        (Crontab("30 2 * * *", BERLIN), "2026-10-24 12:00", "2026-10-25 00:30"),
        (Crontab("30 2 * * *", BERLIN), "2026-10-25 00:30", "2026-10-26 01:30"),
        # A job of every half hour runs in both of these hours.
        (Crontab("*/30 * * * *", BERLIN), "2026-10-25 00:30", "2026-10-25 01:00"),
        (Crontab("0 0 29 2 *"), "2026-11-21 10:00", "2028-02-29 00:00"),
        (Interval(10, Unit.MINUTE), "2026-11-21 10:00:03", "2026-11-21 10:10:03"),
        (Interval(2, Unit.HOUR, BERLIN), "2026-03-29 00:00", "2026-03-29 02:00"),
        # Noon in Berlin, before and after the clocks go forward.
        (Interval(1, Unit.DAY, BERLIN), "2026-03-28 11:00", "2026-03-29 10:00"),
        (Interval(1, Unit.WEEK), "2026-11-21 10:00", "2026-11-28 10:00"),
        (Interval(1, Unit.MONTH), "2026-01-31 10:00", "2026-02-28 10:00"),
        (Interval(1, Unit.YEAR), "2028-02-29 10:00", "2029-02-28 10:00"),
    ],
)
def test_the_next_expected_time(schedule: Schedule, begun: str, expected: str) -> None:
    assert schedule.after(utc(begun)) == utc(expected)


@each(
    "schedule",
    [
        Crontab("*/7 * * * *"),
        Crontab("0 3 * * *", BERLIN),
        Interval(7, Unit.MINUTE),
        Interval(5, Unit.HOUR),
        Interval(1, Unit.DAY, BERLIN),
    ],
)
def test_a_later_time_of_the_series_is_that_of_step_by_step(schedule: Schedule) -> None:
    expected = first = schedule.after(utc("2026-10-20 10:00:02"))
    assert first is not None
    for moment in (first + number * timedelta(hours=7, seconds=1) for number in range(30)):
        while expected is not None and expected < moment:
            expected = schedule.after(expected)
        assert schedule.since(first, moment) == expected
        assert expected is not None
        assert schedule.since(first, expected) == expected


@each(
    "value",
    [
        None,
        [],
        {},
        {"type": "crontab"},
        {"type": "crontab", "value": 5},
        {"type": "crontab", "value": ""},
        {"type": "crontab", "value": "* * * *"},
        {"type": "crontab", "value": "* * * * * *"},
        {"type": "crontab", "value": "60 * * * *"},
        {"type": "crontab", "value": "*/0 * * * *"},
        {"type": "crontab", "value": "0 0 30 2 *"},
        {"type": "crontab", "value": "@reboot"},
        {"type": "crontab", "value": "a b c d e"},
        {"type": "crontab", "value": "² * * * *"},
        {"type": "crontab", "value": "L/2/3 L#L -- // #"},
        {"type": "crontab", "value": "1," * 200 + "1 * * * *"},
        {"type": "interval", "value": 0, "unit": "day"},
        {"type": "interval", "value": 2, "unit": "year"},
        {"type": "interval", "value": True, "unit": "day"},
        {"type": "interval", "value": 1.5, "unit": "day"},
        {"type": "interval", "value": 10**30, "unit": "minute"},
        {"type": "interval", "value": 1, "unit": "second"},
        {"type": "interval", "value": 1, "unit": ["day"]},
        {"type": "sometimes", "value": 1},
    ],
)
def test_a_schedule_that_cannot_be_read_is_refused_with_a_sentence(value: object) -> None:
    with pytest.raises(InvalidSchedule, match=r"[A-Z].+ .+"):
        schedule_of(value, "UTC")


def test_a_schedule_in_words() -> None:
    words = {
        Crontab("*/5 * * * *"): "Every fifth minute of every hour",
        Crontab("0 3 * * *", BERLIN): "At 03:00 every day (Europe/Berlin)",
        Interval(1, Unit.DAY): "Every day",
        Interval(90, Unit.MINUTE): "Every 90 minutes",
    }
    assert {schedule: schedule.words for schedule in words} == words


def test_a_configuration_is_read_as_it_was_stored() -> None:
    sent = {
        "schedule": {"type": "interval", "value": 2.0, "unit": "hour"},
        "timezone": BERLIN,
        "checkin_margin": None,
        "max_runtime": 0,
        "failure_issue_threshold": 3,
        "recovery_threshold": 2.0,
        "owner": "team:billing",
    }
    config = config_of(sent)
    assert (config.margin, config.runtime) == (timedelta(minutes=1), timedelta(minutes=30))
    assert (config.failure_threshold, config.recovery_threshold) == (3, 2)
    assert stored_config(config.text) == config
    assert stored_config("") is stored_config("{}") is stored_config("nonsense") is None


@each(
    "change",
    [
        {"schedule": None},
        {"timezone": "Mars/Base"},
        {"timezone": 5},
        {"timezone": "../etc/passwd"},
        {"checkin_margin": -1},
        {"checkin_margin": True},
        {"max_runtime": "30"},
        {"failure_issue_threshold": 10_000},
        {"recovery_threshold": [1]},
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(InvalidConfig, match=r" .+ "):
        config_of({"schedule": {"type": "crontab", "value": "0 * * * *"}, **change})


def test_every_time_of_a_year_is_one_of_the_crontab() -> None:
    zone, at = ZoneInfo(BERLIN), utc("2026-01-01 00:00")
    for _ in range(365):
        following = Crontab("15 4 * * *", BERLIN).after(at)
        assert following is not None and following > at
        local = following.astimezone(zone)
        assert (local.hour, local.minute) == (4, 15)
        assert (local.date() - at.astimezone(zone).date()).days <= 1
        at = following
