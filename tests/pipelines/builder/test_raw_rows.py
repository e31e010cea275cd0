"""What bounds say is not looked up row by row, and only what they say."""

from datetime import UTC, datetime, timedelta

from pipelines.builder.mart import Window
from pipelines.builder.raw_rows import raw_rows
from tests.cases import each

DAY = timedelta(days=1)
START = datetime(2026, 6, 1, tzinfo=UTC)


def arrived(start: datetime, *days_later: int) -> Window:
    moments = [start + number * DAY + timedelta(hours=3) for number in days_later]
    return Window(start, moments[0], moments[-1], 1, frozenset(moment.date() for moment in moments))


@each(
    ("windows_days", "days_later", "until_days", "is_every_window", "is_every_day"),
    [
        ([0], [0, 1, 2], 2.5, True, True),
        ([0, 1], [0, 1], 2.5, True, True),
        ([0, 2], [0, 1], 3.5, False, True),
        ([0], [0, 2], 2.5, True, False),
        # Bounds that reach further than what is recorded.
        ([0], [0, 1], 2.5, True, False),
        ([0], [0, 1], 2, True, True),
    ],
)
def test_bounds_suffice_where_they_leave_nothing_out(
    windows_days: list[int],
    days_later: list[int],
    until_days: float,
    is_every_window: bool,
    is_every_day: bool,
) -> None:
    starts = [START + number * DAY for number in windows_days]
    told = raw_rows(
        starts, DAY, [arrived(start, *days_later) for start in starts], START, START + until_days * DAY
    )
    assert (told["window_start"], told["window_end"]) == (starts[0], starts[-1] + DAY)
    assert (told["is_every_window"], told["is_every_day"]) == (is_every_window, is_every_day)


def test_nothing_received_is_no_day() -> None:
    told = raw_rows([START], DAY, [], START, START)
    assert (told["receipt_days"], told["is_every_window"]) == ([], True)
