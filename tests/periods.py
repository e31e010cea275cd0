"""Periods of tests: `14d`, and `50h/20h` for the interval from 50 to 20 hours ago."""

from datetime import datetime

from errata.period import Period


def period_ago(text: str, now: datetime) -> Period:
    ends = [now - Period(end).length for end in text.split("/")]
    return Period.between(ends[0], ends[1], now) if len(ends) == 2 else Period(text)
