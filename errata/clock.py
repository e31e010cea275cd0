"""Moments: UTC, with a zone."""

from datetime import UTC, datetime

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc(moment: datetime) -> datetime:
    """The moment with its zone: the warehouse's driver returns UTC without one."""
    return moment.replace(tzinfo=UTC)
