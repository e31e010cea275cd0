"""The moment of an item: a pure function of its line, so that every copy falls in the same window.

Except for clocks ahead of receipt: nothing happened later than its receipt, and a window of next year would
burden every build and reader until then.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
TOLERANCE = timedelta(hours=1)
AHEAD = timedelta(hours=1)
"""The largest believable advance of a clock on receipt."""


def moment(value: Any) -> datetime | None:
    """A protocol timestamp: ISO 8601 text or unix seconds; None if it is neither."""
    try:
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            parsed = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
            return parsed.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def is_ahead(moment: datetime, received_at: datetime) -> bool:
    """True for the moment of a wrong clock."""
    return moment > received_at + AHEAD


def believed(logged_at: datetime | None, received_at: datetime) -> datetime | None:
    """The moment; None if the host's clock was ahead: the item's own time then counts, as if the line had
    none."""
    return None if logged_at is None or is_ahead(logged_at, received_at) else logged_at


def occurred_at(
    payload_time: Any, logged_at: datetime | None, received_at: datetime
) -> tuple[datetime, bool]:
    """The moment that counts, and whether the client's clock was corrected.

    A payload time before 2000, or more than an hour from `logged_at`, is replaced by it. Without `logged_at`
    the payload's own time counts; without either, or if it is ahead of it, `received_at` does.
    """
    own = moment(payload_time)
    if logged_at is None:
        if own is None:
            return received_at, False
        if is_ahead(own, received_at):
            return received_at, True
        return max(own, datetime(1970, 1, 1, tzinfo=UTC)), False
    if own is None or own < EARLIEST or abs(own - logged_at) > TOLERANCE:
        return logged_at, own is not None
    return own, False
