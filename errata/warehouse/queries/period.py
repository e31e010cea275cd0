"""A period such as 24h, 14d or 8w: from a full hour or day in UTC on, without an end."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from errata.errors import InvalidParameter

FORM = re.compile(r"([1-9][0-9]{0,4})([hdw])")
UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
LONGEST = timedelta(days=731)
LONGEST_BY_HOUR = timedelta(hours=48)
MOST_BUCKETS = 31


@dataclass(frozen=True)
class Period:
    """`since` is the start of the hour (`by_hour`) or day that holds now less the period."""

    text: str
    since: datetime
    now: datetime
    by_hour: bool

    @classmethod
    def parse(cls, text: str, now: datetime | None = None) -> Self:
        match = FORM.fullmatch(text)
        length = int(match[1]) * UNITS[match[2]] if match else LONGEST * 2
        if match is None or length > LONGEST:
            raise InvalidParameter("period", "use a number followed by h, d or w, from 1h to 2 years")
        now = now or datetime.now(UTC)
        by_hour = match[2] == "h" and length <= LONGEST_BY_HOUR
        since = (now - length).replace(minute=0, second=0, microsecond=0)
        return cls(text, since if by_hour else since.replace(hour=0), now, by_hour)

    @property
    def bucket(self) -> timedelta:
        """The length of a chart's step: whole hours or days."""
        unit = timedelta(hours=1) if self.by_hour else timedelta(days=1)
        unit_count = (self.now - self.since) // unit + 1
        return unit * -(-unit_count // MOST_BUCKETS)

    @property
    def bucket_starts(self) -> list[datetime]:
        """Starts of the steps. Events in the future, by a client's clock, count in the last step."""
        count = (self.now - self.since) // self.bucket + 1
        return [self.since + number * self.bucket for number in range(count)]


def since_of(period: str, now: datetime) -> datetime:
    """The start of the UTC hour (`h`) or day (`d`, `w`) that holds now less the period."""
    moment = now.astimezone(UTC) - int(period[:-1]) * UNITS[period[-1]]
    hour = moment.replace(minute=0, second=0, microsecond=0)
    return hour if period[-1] == "h" else hour.replace(hour=0)


def period_before(period: str, since: datetime) -> datetime:
    """The start of the period that ends at `since`."""
    return since - int(period[:-1]) * UNITS[period[-1]]
