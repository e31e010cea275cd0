"""Which days of a copy must have the same figures as the service."""

from datetime import UTC, date, datetime, timedelta

from errata.backup.unchanged import Days, built_before, unchanged_days

COPIED_AT = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
TODAY = date(2026, 11, 21)


def day(ago: int) -> date:
    return TODAY - timedelta(days=ago)


def test_a_quiet_service_has_its_last_week() -> None:
    assert unchanged_days([], COPIED_AT) == Days(day(7), TODAY)
    assert Days(day(7), TODAY).period == "2026-11-14T00:00Z/2026-11-21T00:00Z"


def test_days_around_what_arrived_do_not_count() -> None:
    assert unchanged_days([TODAY], COPIED_AT) == Days(day(9), day(2))
    assert unchanged_days([TODAY, day(8)], COPIED_AT) == Days(day(5), day(2))
    assert unchanged_days([TODAY, day(4)], COPIED_AT) == Days(day(13), day(6))


def test_a_service_with_late_events_of_all_days_has_none() -> None:
    assert unchanged_days([day(ago) for ago in range(0, 15, 4)], COPIED_AT) is None


def test_what_was_received_shortly_before_the_last_build_counts_as_later() -> None:
    built, lag = COPIED_AT - timedelta(days=1), timedelta(hours=2)
    assert built_before(COPIED_AT, [built.isoformat(), COPIED_AT.isoformat()]) == built - lag
    assert built_before(COPIED_AT, []) == COPIED_AT - lag
    assert built_before(COPIED_AT, [None]) is None
