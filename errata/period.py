"""A range of time as people choose it: back from now (`24h`, `14d`, `26w`), or an ISO 8601 interval."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import Enum
from typing import Any, Literal

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from errata.clock import END
from errata.warehouse.retention import countable_days

BACK = re.compile(r"([1-9][0-9]{0,5})([hdw])", re.ASCII)
MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?)?", re.ASCII
)
UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
TrendStep = Literal["hour", "day", "week"]
MINUTE, HOUR, DAY, WEEK = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(weeks=1))
TREND_STEPS: dict[str, timedelta] = {"hour": HOUR, "day": DAY, "week": WEEK}
# Two years, one of them a leap year.
LONGEST = timedelta(days=731)
# Shorter ranges are counted event by event; longer ones by the hour, and then by the day.
LONGEST_BY_MINUTE, LONGEST_BY_HOUR = timedelta(hours=6), timedelta(days=14)
LONGEST_BACK_BY_HOUR = timedelta(hours=48)
# The shortest day: clocks are changed on it.
FEWEST_HOURS = timedelta(hours=23)
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
# With the part of a day that now is in.
LONGEST_TREND_OF_HOURS, LONGEST_TREND_OF_DAYS = timedelta(days=3, hours=1), timedelta(weeks=13, days=1)
MOST_BUCKETS = 31
FORM = "a number followed by h, d or w, from 1h to 2 years, or an interval such as 2026-11-01/2026-11-08"


class Grain(Enum):
    """What a range is counted by: events one by one, marts of hours, or marts of days."""

    MINUTE = MINUTE
    HOUR = HOUR
    DAY = DAY

    def begin(self, moment: datetime) -> datetime:
        """The start of the UTC minute, hour or day that holds the moment."""
        minute = moment.astimezone(UTC).replace(second=0, microsecond=0)
        if self is Grain.MINUTE:
            return minute
        hour = minute.replace(minute=0)
        return hour if self is Grain.HOUR else hour.replace(hour=0)

    def end(self, moment: datetime) -> datetime:
        """The moment itself where one begins; else the end of the one that holds it."""
        begin = self.begin(moment)
        return begin if begin == moment else begin + self.value


class Period(str):
    """A range as the address and REST write it. An interval is written in UTC: `2026-11-01T00:00Z/…`."""

    __slots__ = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        # A default of this type appears in OpenAPI: pydantic must know how to write it.
        written = core_schema.plain_serializer_function_ser_schema(str)
        return core_schema.no_info_plain_validator_function(cls.parse, serialization=written)

    @classmethod
    def parse(cls, text: object, zone: tzinfo = UTC, now: datetime | None = None) -> "Period":
        """Raises ValueError with a sentence for people. `zone` is that of days and of moments without one."""
        if isinstance(text, str) and "/" in text:
            return cls.between(*_ends(text, zone), now)
        match = BACK.fullmatch(text) if isinstance(text, str) else None
        if match is None or int(match[1]) * UNITS[match[2]] > LONGEST:
            raise ValueError(FORM)
        return cls(text)

    @classmethod
    def between(cls, since: datetime, until: datetime, now: datetime | None = None) -> "Period":
        """An end in the future stands for now, whenever the range is looked at."""
        now = now or datetime.now(UTC)
        if since >= until:
            raise ValueError("an interval that ends after it starts")
        if since >= now:
            raise ValueError("an interval that starts in the past")
        if since < EARLIEST:
            raise ValueError("an interval that starts after 1999")
        if min(until, now) - since > LONGEST:
            raise ValueError("an interval of at most 2 years")
        return cls(f"{_written(since)}/{_written(until)}")

    @property
    def is_interval(self) -> bool:
        return "/" in self

    @property
    def ends(self) -> tuple[datetime, datetime]:
        """Of an interval: its first moment, and the one it ends before."""
        since, until = self.split("/")
        return datetime.fromisoformat(since), datetime.fromisoformat(until)

    @property
    def length(self) -> timedelta:
        if self.is_interval:
            since, until = self.ends
            return until - since
        return int(self[:-1]) * UNITS[self[-1]]

    def at(self, now: datetime) -> "TimeRange":
        """In whole hours, and from the start of a day for a period in days: what marts are asked for."""
        if self.is_interval or self[-1] == "h":
            return self._in(Grain.HOUR, now)
        return self._in(Grain.DAY, now)

    def of_days(self, now: datetime) -> "TimeRange":
        return self._in(Grain.DAY, now)

    def of_events(self, now: datetime) -> "TimeRange":
        """In whole minutes where events can be read one by one; else in whole hours or days."""
        since, until = self.ends if self.is_interval else (now - self.length, now)
        length = min(until, now) - since
        is_short = self.is_interval or self[-1] == "h"
        longest = LONGEST_BY_HOUR if self.is_interval else LONGEST_BACK_BY_HOUR
        if is_short and length <= LONGEST_BY_MINUTE and since >= now - KEPT:
            return self._in(Grain.MINUTE, now)
        if self.is_interval and all(Grain.DAY.begin(end) == end for end in self.ends):
            return self._in(Grain.DAY, now)
        return self._in(Grain.HOUR if is_short and length <= longest else Grain.DAY, now)

    def _in(self, grain: Grain, now: datetime) -> "TimeRange":
        since, until = self.ends if self.is_interval else (now - self.length, now)
        is_open = until >= now
        # Clocks of clients may be ahead.
        # Days of zones that are half an hour beside UTC keep their length.
        is_whole = grain is Grain.HOUR and until - since >= FEWEST_HOURS and not (until - since) % HOUR
        end = END if is_open else grain.begin(until) if is_whole else grain.end(until)
        return TimeRange(self, now, grain, grain.begin(since), end, is_open)


KEPT = timedelta(days=countable_days("errata_raw.error_events"))


@dataclass(frozen=True)
class TimeRange:
    """A period at a moment: half-open, from `since` to `until`, in whole steps of its grain.

    One that is open has no end: what a client's clock has dated ahead counts, too.
    """

    period: Period
    now: datetime
    grain: Grain
    since: datetime
    until: datetime
    is_open: bool

    @property
    def text(self) -> str:
        return str(self.period)

    @property
    def by_hour(self) -> bool:
        return self.grain is Grain.HOUR

    @property
    def shown_until(self) -> datetime:
        """The end that a reader sees: the last moment there is data of."""
        return self.now if self.is_open else self.until

    @property
    def last_day(self) -> date:
        """The last UTC day that it has a part of."""
        return (self.shown_until - timedelta(microseconds=1)).date()

    @property
    def before(self) -> datetime:
        """The start of the range of the same length before this one."""
        if self.is_open and not self.period.is_interval:
            return self.since - self.period.length
        return self.since - (self.grain.end(self.shown_until) - self.since)

    @property
    def previous(self) -> "TimeRange":
        period = Period(f"{_written(self.before)}/{_written(self.since)}")
        return TimeRange(period, self.now, self.grain, self.before, self.since, is_open=False)

    @property
    def is_widened(self) -> bool:
        """Whether it holds what lies outside the interval that was asked for."""
        if not self.period.is_interval:
            return False
        since, until = self.period.ends
        return self.since < since or (not self.is_open and self.until > until)

    @property
    def in_hours(self) -> "TimeRange":
        """The same in whole hours, where it is in minutes."""
        if self.grain is not Grain.MINUTE:
            return self
        return self.period.at(self.now)

    @property
    def bucket(self) -> timedelta:
        """The length of a chart's step: whole minutes, hours or days."""
        unit = self.grain.value
        unit_count = -(-(self._end - self.since) // unit)
        least = -(-unit_count // MOST_BUCKETS)
        return unit * next((count for count in ROUND[self.grain] if count >= least), least)

    @property
    def bucket_starts(self) -> list[datetime]:
        """Starts of the steps. Events in the future, by a client's clock, count in the last step."""
        count = -(-(self._end - self.since) // self.bucket)
        return [self.since + number * self.bucket for number in range(count)]

    def steps(self, began: datetime | None = None) -> "Steps":
        """The steps of a chart of events; of a project that `began` within the range, from there on."""
        # Of a range that is open nothing is drawn after now.
        since, end = self.since, self.shown_until
        if began is not None and since < began < end:
            length = step_of(end - began)
            since += max(0, (min(began, end - FEWEST_STEPS * length) - since) // length) * length
        step = step_of(end - since)
        if since < self.now - KEPT:
            step = max(step, HOUR)
        count = -(-(end - since) // step)
        grain = next(one for one in reversed(Grain) if one.value <= step)
        return Steps(since, step, count, min(grain, self.grain, key=lambda one: one.value))

    @property
    def trend_step(self) -> TrendStep:
        """The step of a trend, which percentiles of a few loads would make restless."""
        length = self._end - self.since
        if length <= LONGEST_TREND_OF_HOURS:
            return "hour"
        return "day" if length <= LONGEST_TREND_OF_DAYS else "week"

    @property
    def trend_since(self) -> datetime:
        """From when a trend counts: its weeks are whole."""
        return self.first_monday if self.trend_step == "week" else self.since

    @property
    def first_monday(self) -> datetime:
        """The start of the UTC week that it begins in."""
        return self.since.replace(hour=0) - timedelta(days=self.since.weekday())

    def trend_starts(self, known: Iterable[datetime] = ()) -> list[datetime]:
        """Of every step of a trend, the oldest first, through the last of the `known` ones: clocks of clients
        may be ahead."""
        step = TREND_STEPS[self.trend_step]
        first = self.trend_since if self.trend_step == "hour" else self.trend_since.replace(hour=0)
        last = max([self.shown_until - timedelta(microseconds=1), *known])
        return [first + number * step for number in range((last - first) // step + 1)]

    @property
    def _end(self) -> datetime:
        return self.grain.begin(self.now) + self.grain.value if self.is_open else self.until


@dataclass(frozen=True)
class Steps:
    """Steps of equal length from `since` on, counted by a grain that each is a whole number of."""

    since: datetime
    step: timedelta
    count: int
    grain: Grain

    @property
    def starts(self) -> list[datetime]:
        return [self.since + number * self.step for number in range(self.count)]


def step_of(length: timedelta) -> timedelta:
    """The step of a chart of so much time: the one place that chooses it."""
    return next((step for longest, step in CHART_STEPS if length <= longest), 14 * DAY)


# Ranges in days have a part of a day more.
CHART_STEPS = (
    (90 * MINUTE, MINUTE),
    (7 * HOUR, 5 * MINUTE),
    (15 * HOUR, 15 * MINUTE),
    (3 * DAY, HOUR),
    (8 * DAY, 6 * HOUR),
    (13 * WEEK + DAY, DAY),
    (105 * WEEK, WEEK),
)
# A chart of one bar is none.
FEWEST_STEPS = 12
ROUND = {Grain.MINUTE: (1, 2, 5, 10, 15, 20, 30), Grain.HOUR: (1, 2, 3, 4, 6, 8, 12), Grain.DAY: ()}


def _ends(text: str, zone: tzinfo) -> tuple[datetime, datetime]:
    first, _, last = text.partition("/")
    return _moment(first, zone, is_end=False), _moment(last, zone, is_end=True)


def _moment(text: str, zone: tzinfo, *, is_end: bool) -> datetime:
    """A day stands for its start, and at the end of an interval for its end."""
    match = MOMENT.fullmatch(text)
    try:
        moment = datetime.fromisoformat(text) if match else None
    except ValueError:
        moment = None
    if moment is None or match is None or not 1 < moment.year < 9999:
        raise ValueError(FORM)
    if match[1] is None:
        moment = datetime.combine(moment.date() + (DAY if is_end else timedelta()), time(), zone)
    elif moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(UTC)


def _written(moment: datetime) -> str:
    moment = moment.astimezone(UTC).replace(microsecond=0)
    return moment.isoformat(timespec="seconds" if moment.second else "minutes").replace("+00:00", "Z")
