"""The end of a share link, as people say it: a day, a week, a month, a moment, or never."""

from datetime import UTC, datetime, timedelta

from errata.errors import InvalidParameter

SPANS = {"1d": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
NEVER = "never"
LONGEST = timedelta(days=731)


def expiry(text: str, now: datetime) -> datetime | None:
    """The moment; None only for `never`. A day without a time lasts until its end, in UTC."""
    if text == NEVER:
        return None
    if text in SPANS:
        return now + SPANS[text]
    try:
        moment = datetime.fromisoformat(text)
        if len(text) == len("2026-01-31"):
            moment += timedelta(days=1)
    except (ValueError, OverflowError):
        raise _unknown() from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if not now < moment <= now + LONGEST:
        raise _unknown()
    return moment


def _unknown() -> InvalidParameter:
    return InvalidParameter("expires", "1d, 7d, 30d, never, or a future time within two years")
