"""Office hours by the clocks of several zones, at both changes of a year."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

HOUR, QUARTER = timedelta(hours=1), timedelta(minutes=15)


@dataclass(frozen=True)
class ClockChange:
    """`began`: the first hour in which a clock of the zone is not what it was."""

    zone: str
    began: datetime

    @property
    def name(self) -> str:
        return f"{self.zone}, {self.began:%B}"


def changes_of(zone: str, year: int) -> list[ClockChange]:
    begin = datetime(year, 1, 1, tzinfo=UTC)
    hours = [begin + HOUR * number for number in range(365 * 24)]
    offsets = [hour.astimezone(ZoneInfo(zone)).utcoffset() for hour in hours]
    return [
        ClockChange(zone, hour)
        for hour, offset, before in zip(hours[1:], offsets[1:], offsets, strict=False)
        if offset != before
    ]


# Of whole hours in both halves of the world, of half hours beside UTC, and by half an hour.
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Sydney", "Australia/Adelaide", "Australia/Lord_Howe")
# Without a change: any moment.
HALF_HOURS_ALWAYS = ClockChange("Asia/Kolkata", datetime(2026, 3, 29, tzinfo=UTC))
CLOCK_CHANGES = (*(change for zone in ZONES for change in changes_of(zone, 2026)), HALF_HOURS_ALWAYS)


def office_hours(change: ClockChange, before: int, count: int) -> npt.NDArray[np.float64]:
    """Of each hour, from so many before the change on, the part that is from nine to five on a workday."""
    zone, first = ZoneInfo(change.zone), change.began - before * HOUR
    quarters = [(first + QUARTER * number).astimezone(zone) for number in range(4 * count)]
    is_open = [quarter.weekday() < 5 and 9 <= quarter.hour < 17 for quarter in quarters]
    parts: npt.NDArray[np.float64] = np.array(is_open, dtype=np.float64).reshape(count, 4).mean(axis=1)
    return parts
