"""When a share link ends."""

from datetime import UTC, datetime, timedelta

import pytest

from api.expiry import expiry
from errata.errors import InvalidParameter
from tests.cases import each

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


@each(
    ("text", "moment"),
    [
        ("1d", NOW + timedelta(days=1)),
        ("7d", NOW + timedelta(days=7)),
        ("30d", NOW + timedelta(days=30)),
        # To the end of the day; without a zone in UTC.
        ("2026-11-21", datetime(2026, 11, 22, tzinfo=UTC)),
        ("2026-11-21T10:00:01", NOW + timedelta(seconds=1)),
        ("2026-11-21T12:00:00+01:00", NOW + timedelta(hours=1)),
        ("2028-11-21T10:00:00Z", NOW + timedelta(days=731)),
        ("never", None),
    ],
)
def test_an_end_is_a_span_a_day_a_moment_or_none(text: str, moment: datetime | None) -> None:
    assert expiry(text, NOW) == moment


@each(
    "text",
    [
        *("", "2w", "Never", "31d", "soon", "9999-12-31", "2028-11-21T10:00:00.001Z"),
        *("2026-11-20", "2026-11-21T10:00:00Z", "2026-11-21T10:30:00+01:00"),
    ],
)
def test_an_end_lies_ahead_and_within_two_years(text: str) -> None:
    with pytest.raises(InvalidParameter, match="within two years"):
        expiry(text, NOW)
