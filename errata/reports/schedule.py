"""When a report is sent: one moment of every week, on a wall clock somewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from errata.alerts.recipients import recipients
from errata.errors import InvalidParameter
from errata.one_line import checked_name, is_one_line

WEEK = timedelta(days=7)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LONGEST_NAME = 100


@dataclass(frozen=True)
class Schedule:
    """Every `weekday` at `hour` o'clock of `time_zone`, the week before goes to `recipients`."""

    name: str
    weekday: str
    hour: int
    time_zone: str
    environment: str
    recipients: tuple[str, ...]
    is_enabled: bool = True

    def last_due(self, now: datetime) -> "Due":
        """The latest until now."""
        today = now.astimezone(ZoneInfo(self.time_zone)).date()
        due = self._due(today - timedelta(days=(today.weekday() - WEEKDAYS.index(self.weekday)) % 7))
        return due if due.at <= now else self._due(due.day - WEEK)

    def next_due(self, now: datetime) -> "Due":
        return self._due(self.last_due(now).day + WEEK)

    def _due(self, day: date) -> "Due":
        """An hour that a clock leaves out comes an hour later; one that comes twice is the first."""
        there = datetime(day.year, day.month, day.day, self.hour, tzinfo=ZoneInfo(self.time_zone))
        monday = day - timedelta(days=day.weekday())
        # Weeks are UTC: east of it Monday begins before the week is over.
        return Due(day, max(there.astimezone(UTC), datetime.combine(monday, time(), UTC)), monday - WEEK)


@dataclass(frozen=True)
class Due:
    """On `day` there, `at` this moment, the week that begins on the Monday `week` is reported."""

    day: date
    at: datetime
    week: date


def checked(given: Mapping[str, Any]) -> Schedule:
    """Raises InvalidParameter."""
    name = checked_name(str(given["name"]), LONGEST_NAME)
    weekday = str(given["weekday"]).lower()
    if weekday not in WEEKDAYS:
        raise InvalidParameter("weekday", f"one of {', '.join(WEEKDAYS)}")
    hour = given["hour"]
    if not isinstance(hour, int) or not 0 <= hour <= 23:
        raise InvalidParameter("hour", "0 to 23")
    return Schedule(
        name,
        weekday,
        hour,
        _zone(str(given["time_zone"]).strip()),
        _environment(str(given["environment"]).strip()),
        tuple(recipients(given["recipients"], "recipients")),
        bool(given["is_enabled"]),
    )


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidParameter("time_zone", "a name such as Europe/Prague, or UTC") from error
    return name


def _environment(name: str) -> str:
    if len(name) > 64 or not is_one_line(name):
        raise InvalidParameter("environment", "at most 64 characters on one line; empty: all")
    return name
