"""When a server that refused wants to be asked again."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(value: str, date: str = "") -> float | None:
    """Seconds of a Retry-After header, which holds a number or a date; 0 if the date is over, None if it is
    neither. `date`: the Date header beside it, as this host's clock may be hours off."""
    value = value.strip()
    if value.isdecimal():
        return float(value)
    until = _moment_of(value)
    if until is None:
        return None
    return max(0.0, (until - (_moment_of(date) or datetime.now(UTC))).total_seconds())


def _moment_of(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
