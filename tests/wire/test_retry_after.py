from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from errata_wire.retry_after import retry_after_seconds

from tests.cases import each

AT_TEN = "Sat, 21 Nov 2026 10:00:00 GMT"


@each(
    ("value", "date", "seconds"),
    [
        ("17", "", 17),
        (" 0 ", "", 0),
        ("9" * 400, "", float("inf")),
        ("Sat, 21 Nov 2026 10:01:30 GMT", AT_TEN, 90),
        ("Sat, 21 Nov 2026 11:01:30 +0100", AT_TEN, 90),
        ("Sat, 21 Nov 2026 10:01:30", AT_TEN, 90),
        ("Sat, 21 Nov 2026 09:00:00 GMT", AT_TEN, 0),
        ("", AT_TEN, None),
        ("soon", "", None),
        ("-5", "", None),
        ("²", "", None),
        ("Sat, 21 Nov 2026 10:00:00 +99999999999999", "", None),
        ("Fri, 31 Dec 9999 23:00:00 -2300", "", None),
    ],
)
def test_a_header_says_how_long_to_wait(value: str, date: str, seconds: float | None) -> None:
    assert retry_after_seconds(value, date) == seconds


def test_without_the_clock_of_the_server_a_date_is_by_that_of_this_host() -> None:
    in_a_minute = format_datetime(datetime.now(UTC) + timedelta(minutes=1))
    seconds = retry_after_seconds(in_a_minute, "no date")
    assert seconds is not None and 55 < seconds <= 60
