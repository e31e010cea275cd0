"""Moments: UTC, with a zone."""

from datetime import UTC, datetime

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# After every moment that counts; a DateTime of the warehouse ends in 2106.
END = datetime(2100, 1, 1, tzinfo=UTC)


def utc(moment: datetime) -> datetime:
    """The moment with its zone: the warehouse's driver returns UTC without one."""
    return moment.replace(tzinfo=UTC)
