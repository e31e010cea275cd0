"""When a monitor's job is expected: a crontab, or an interval, in a time zone with its clock changes."""

import calendar
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from errata.reports import formats

LONGEST_CRONTAB = 200
LONGEST_ZONE = 64
FIELDS = 5
# The names that cron itself has for common schedules.
MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
# A job started by a clock slightly fast has still been started for the moment that follows.
EARLY = timedelta(seconds=15)
MINUTE = timedelta(minutes=1)
# Monitors of one schedule, and the same pages again and again, share what is computed.
REMEMBERED = 65_536


class Unit(StrEnum):
    YEAR = "year"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"


# A year at most: check-ins are kept a little longer.
MOST_OF_UNIT = {
    Unit.YEAR: 1,
    Unit.MONTH: 12,
    Unit.WEEK: 52,
    Unit.DAY: 366,
    Unit.HOUR: 8_784,
    Unit.MINUTE: 527_040,
}


class InvalidSchedule(ValueError):
    """Its text is a sentence for whoever sent the schedule."""


class Schedule(ABC):
    """Moments have a time zone; those returned are in UTC."""

    @abstractmethod
    def after(self, moment: datetime) -> datetime | None:
        """The first expected time after a run at this moment; None: there is none."""

    def since(self, expected: datetime, moment: datetime) -> datetime | None:
        """The first of the times that follow `expected` (itself one) which isn't before the moment."""
        found: datetime | None = expected
        while found is not None and found < moment:
            found = self.after(found)
        return found

    @property
    @abstractmethod
    def words(self) -> str: ...

    @property
    @abstractmethod
    def as_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Crontab(Schedule):
    expression: str
    zone: str = "UTC"

    def __post_init__(self) -> None:
        if len(self.expression) > LONGEST_CRONTAB:
            raise InvalidSchedule(f"A crontab has at most {LONGEST_CRONTAB} characters")
        if len(self._fields.split()) != FIELDS:
            raise InvalidSchedule("A crontab has five fields, such as */5 * * * *")
        try:
            next(CronSim(self._fields, datetime(2024, 1, 1, tzinfo=UTC)))
        except StopIteration as error:
            raise InvalidSchedule("The crontab never comes due") from error
        except CronSimError as error:
            raise InvalidSchedule(f"The crontab can't be read: {error}") from error
        except (AssertionError, TypeError, ValueError) as error:
            raise InvalidSchedule("The crontab can't be read") from error

    def after(self, moment: datetime) -> datetime | None:
        begun = (moment + EARLY).astimezone(UTC).replace(second=0, microsecond=0)
        return _next_of(self._fields, self.zone, begun)

    def since(self, expected: datetime, moment: datetime) -> datetime | None:
        if expected >= moment:
            return expected
        minute = moment.astimezone(UTC).replace(second=0, microsecond=0)
        before = minute - MINUTE if minute == moment else minute
        return _next_of(self._fields, self.zone, before)

    @property
    def words(self) -> str:
        said = CronSim(self._fields, datetime(2024, 1, 1, tzinfo=UTC)).explain()
        return said if self.zone == "UTC" else f"{said} ({self.zone})"

    @property
    def as_json(self) -> dict[str, Any]:
        return {"type": "crontab", "value": self.expression}

    @cached_property
    def _fields(self) -> str:
        return MACROS.get(self.expression.strip().lower(), self.expression)


@dataclass(frozen=True)
class Interval(Schedule):
    """Days and longer units keep the time of day of the zone; hours and minutes are as long as they are."""

    value: int
    unit: Unit
    zone: str = "UTC"

    def __post_init__(self) -> None:
        if not 1 <= self.value <= MOST_OF_UNIT[self.unit]:
            raise InvalidSchedule(f"An interval is 1 to {MOST_OF_UNIT[self.unit]} {self.unit}s")

    def after(self, moment: datetime) -> datetime | None:
        if self._step is not None:
            return moment.astimezone(UTC) + self._step
        local = moment.astimezone(zone_of(self.zone))
        if self.unit in (Unit.DAY, Unit.WEEK):
            days = self.value * (7 if self.unit is Unit.WEEK else 1)
            return (local + timedelta(days=days)).astimezone(UTC)
        months = self.value * (12 if self.unit is Unit.YEAR else 1)
        return _months_later(local, months).astimezone(UTC)

    def since(self, expected: datetime, moment: datetime) -> datetime | None:
        if self._step is None or expected >= moment:
            return super().since(expected, moment)
        return expected.astimezone(UTC) - (expected - moment) // self._step * self._step

    @property
    def words(self) -> str:
        return f"Every {self.unit}" if self.value == 1 else f"Every {formats.count(self.value)} {self.unit}s"

    @property
    def as_json(self) -> dict[str, Any]:
        return {"type": "interval", "value": self.value, "unit": self.unit.value}

    @property
    def _step(self) -> timedelta | None:
        """The length of hours and minutes."""
        lengths = {Unit.HOUR: timedelta(hours=1), Unit.MINUTE: MINUTE}
        return self.value * lengths[self.unit] if self.unit in lengths else None


def is_zone(name: str) -> bool:
    return len(name) <= LONGEST_ZONE and name in _zones()


@cache
def _zones() -> frozenset[str]:
    """The names that this machine knows, which are read from its files."""
    return frozenset(available_timezones())


def zone_of(name: str) -> tzinfo:
    return UTC if name == "UTC" else ZoneInfo(name)


def schedule_of(value: Any, zone: str) -> Schedule:
    """The schedule as SDKs send it. Raises InvalidSchedule."""
    if not isinstance(value, dict):
        raise InvalidSchedule("A schedule has a type and a value")
    kind, given = value.get("type"), value.get("value")
    if kind == "crontab":
        if not isinstance(given, str):
            raise InvalidSchedule("The value of a crontab is a text, such as */5 * * * *")
        return Crontab(given, zone)
    if kind == "interval":
        unit = value.get("unit")
        if not isinstance(unit, str) or unit not in set(Unit):
            raise InvalidSchedule(f"The unit of an interval is one of {', '.join(Unit)}")
        if type(given) is float and given.is_integer():
            given = int(given)
        if type(given) is not int:
            raise InvalidSchedule("The value of an interval is a whole number")
        return Interval(given, Unit(unit), zone)
    raise InvalidSchedule("The type of a schedule is crontab or interval")


@lru_cache(REMEMBERED)
def _next_of(fields: str, zone: str, minute: datetime) -> datetime | None:
    """The first time that is after a whole minute, so after each moment in it."""
    found = next(CronSim(fields, minute.astimezone(zone_of(zone))), None)
    return found.astimezone(UTC) if found is not None else None


def _months_later(local: datetime, months: int) -> datetime:
    """The same day of the month, or its last."""
    number = local.month - 1 + months
    year, month = local.year + number // 12, number % 12 + 1
    day = min(local.day, calendar.monthrange(year, month)[1])
    return local.replace(year=year, month=month, day=day, fold=0)
