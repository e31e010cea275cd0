"""The one place where numbers, units and moments become words.

Moments are in the zone of whoever looks at a page, in UTC elsewhere, and have one form for each purpose:

- in a table or a list: `relative`, with `exact` as the title of the cell;
- in a choice or a narrow column: `short_minute`, with `exact` as the title;
- within one page load or event: `clock`;
- in a sentence, a document or a mail: `day`, and `exact` for a moment;
- at the ends of a small drawing: `short_day`;
- where one points in a chart: `minute` and `day`, or `chart_minute`, `chart_day` and `chart_week` where
  plotly.js writes them;
- on the axis of a chart: AXIS_TICKS, which show hours where a reader has zoomed into days;
- in a terminal, and for windows of builds: `iso_minute`;
- in the name of a file: `iso_day`;
- in a field of a form: `field_minute`;
- for programs: `iso`, in UTC, and `chart_moment` for plotly.js.
"""

import math
from contextvars import ContextVar
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

NOTHING = "–"
MINUTE, HOUR, DAY, WEEK = 60, 3600, 86_400, 604_800
STEPS = (
    (MINUTE, 1, "s"),
    (HOUR, MINUTE, "min"),
    (DAY, HOUR, "h"),
    (2 * WEEK, DAY, "d"),
    (9 * WEEK, WEEK, "wk"),
)
LETTERS = ("", "k", "M", "G", "T")
BYTE_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
AXIS_TICKS = (
    {"dtickrange": [None, 86_399_999], "value": "%H:%M\n%-d %b"},
    {"dtickrange": [86_400_000, None], "value": "%-d %b\n%Y"},
)


_ZONE: ContextVar[tzinfo] = ContextVar("zone", default=UTC)


def zone() -> tzinfo:
    """The zone that whoever looks at a page has chosen; UTC for programs and documents."""
    return _ZONE.get()


def show_in(chosen: tzinfo) -> None:
    """In this request."""
    _ZONE.set(chosen)


def count(value: float | None) -> str:
    """1,234"""
    return NOTHING if value is None or _is_missing(value) else _with_minus(f"{round(value):,}")


def compact(value: float | None) -> str:
    """1,234 and 12.3k: at most five characters up to billions."""
    if value is None or _is_missing(value):
        return NOTHING
    if abs(value) < 10_000:
        return count(value)
    return _scaled(value, LETTERS, 1000, "")


def size(value: float | None) -> str:
    """748 KB; a KB is 1,000 bytes."""
    return NOTHING if value is None or _is_missing(value) else _scaled(value, BYTE_UNITS, 1000, " ")


def duration(value: float | None) -> str:
    """0.42 ms, 812 ms, 2.31 s, 1 min 15 s, 3 h 20 min"""
    if value is None or _is_missing(value):
        return NOTHING
    if value < 0:
        return "−" + duration(-value)
    if value == 0:
        return "0 ms"
    if value < 999.5:
        return f"{significant(value)} ms"
    seconds = value / 1000
    if seconds < 59.95:
        return f"{significant(seconds)} s"
    seconds = round(seconds)
    for large, small, big_name, small_name in (
        (DAY, HOUR, "d", "h"),
        (HOUR, MINUTE, "h", "min"),
        (MINUTE, 1, "min", "s"),
    ):
        if seconds >= large:
            rest = seconds % large // small
            return f"{seconds // large:,} {big_name}" + (f" {rest} {small_name}" if rest else "")
    return f"{seconds} s"


def decimal(value: float) -> str:
    """1,234.5 and 12"""
    return _with_minus(f"{value:,.1f}".removesuffix(".0"))


def score(value: float | None) -> str:
    """A unitless figure such as CLS: 0.07"""
    return NOTHING if value is None or _is_missing(value) else _with_minus(f"{value:.2f}")


def ratio(value: float | None) -> str:
    """0.0421 as 4.2%"""
    if value is None or _is_missing(value):
        return NOTHING
    share = value * 100
    if 0 < abs(share) < 0.1:
        return "<0.1%" if share > 0 else ">−0.1%"
    return _with_minus(f"{share:.1f}".removesuffix(".0") + "%")


def change(value: float | None) -> str:
    """+12%, −3.4%, or 0% of what is less than 0.05%"""
    if value is None or _is_missing(value):
        return NOTHING
    shown = f"{value * 100:+.1f}".removesuffix(".0")
    return "0%" if float(shown) == 0 else _with_minus(f"{shown}%")


def score_change(value: float) -> str:
    """+0.012 or −0.034, of a score such as CLS"""
    return _with_minus(f"{value:+.3f}")


def significant(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return (
        f"{value:,.{min(digits, 3)}f}"
        if digits < 3
        else f"{value:.{min(digits, 6)}f}".rstrip("0").rstrip(".")
    )


def relative(moment: datetime, now: datetime) -> str:
    """3 min ago; a date where weeks would be many."""
    seconds = (now - moment).total_seconds()
    ahead = seconds < 0
    seconds = abs(seconds)
    if seconds < 5:
        return "just now"
    for limit, unit, name in STEPS:
        if seconds < limit:
            number = int(seconds // unit)
            return f"in {number} {name}" if ahead else f"{number} {name} ago"
    return day(moment.astimezone(zone()))


def exact(moment: datetime) -> str:
    """Sat 21 Nov 2026, 10:00:00.123 UTC"""
    moment = moment.astimezone(zone())
    return f"{moment:%a %-d %b %Y, %H:%M:%S}.{moment.microsecond // 1000:03d} {zone_name(moment)}"


def minute(moment: datetime) -> str:
    """Sat 21 Nov 2026, 10:00 UTC"""
    moment = moment.astimezone(zone())
    return f"{moment:%a %-d %b %Y, %H:%M} {zone_name(moment)}"


def short_minute(moment: datetime) -> str:
    """21 Nov, 10:00"""
    return f"{moment.astimezone(zone()):%-d %b, %H:%M}"


def day(moment: date) -> str:
    """21 Nov 2026; of the day as it is given, also one of another time zone."""
    return f"{moment:%-d %b %Y}"


def month(moment: date) -> str:
    """November"""
    return f"{moment:%B}"


def short_day(moment: date) -> str:
    """21 Nov"""
    return f"{moment:%-d %b}"


def span(since: datetime, until: datetime, of: tzinfo | None = None) -> str:
    """1–8 Nov 2026, UTC; 8 Nov 2026, 10:00–12:30 UTC; of a half-open range."""
    of = of or zone()
    first, last = since.astimezone(of), until.astimezone(of)
    if first.time() == last.time() == time():
        return f"{_days(first, last - timedelta(days=1))}, {zone_name(first)}"
    if first.date() == last.date():
        return f"{day(first)}, {first:%H:%M}–{last:%H:%M} {zone_name(last)}"
    return f"{day(first)}, {first:%H:%M} – {day(last)}, {last:%H:%M} {zone_name(last)}"


def _days(first: date, last: date) -> str:
    if (first.year, first.month, first.day) == (last.year, last.month, last.day):
        return day(first)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{day(last)}"
    return f"{short_day(first) if first.year == last.year else day(first)} – {day(last)}"


def zone_name(moment: datetime) -> str:
    """UTC, CET, or UTC+03 where the zone has no letters."""
    name = f"{moment:%Z}"
    return f"UTC{name}" if name[:1] in ("+", "-") else name


def iso_minute(moment: datetime) -> str:
    """2026-11-21 10:00"""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"


def iso_day(moment: date) -> str:
    """2026-11-21"""
    return f"{moment:%Y-%m-%d}"


def field_minute(moment: datetime) -> str:
    """2026-11-21T10:00, as a field of a form has it."""
    return f"{moment.astimezone(zone()):%Y-%m-%dT%H:%M}"


def chart_zone(until: date, step: timedelta = timedelta()) -> tzinfo:
    """The zone of a chart that ends then: of one offset, so that no hour is missing where clocks change, and
    none is there twice. UTC days are in UTC."""
    if not isinstance(until, datetime) or is_of_utc_days(until, step):
        return UTC
    moment = until.astimezone(zone())
    return timezone(moment.utcoffset() or timedelta(), zone_name(moment))


def is_of_utc_days(moment: date, step: timedelta) -> bool:
    """Whether a step that begins or ends then is a UTC day, or several: others are of chosen ranges, such as
    days of another zone."""
    is_midnight = not isinstance(moment, datetime) or moment.astimezone(UTC).time() == time()
    return step >= timedelta(days=1) and is_midnight


def chart_moment(moment: date, of: tzinfo) -> str:
    """2026-11-21 10:00:00, without a zone: plotly.js shows times as written."""
    shown = moment.astimezone(of) if isinstance(moment, datetime) else moment
    return f"{shown:%Y-%m-%d %H:%M:%S}"


def chart_minute(of: tzinfo) -> str:
    """Sat 21 Nov 2026, 10:00 UTC, as plotly.js writes it."""
    return f"%a %-d %b %Y, %H:%M {of.tzname(None)}"


def chart_day() -> str:
    """Sat 21 Nov 2026; of UTC, which is told whoever sees other moments in another zone."""
    return f"%a %-d %b %Y{_utc_note()}"


def chart_week() -> str:
    """week 47 of 2026 (from 16 Nov 2026)"""
    return f"week %V of %G (from %-d %b %Y{_utc_note()})"


def _utc_note() -> str:
    return "" if zone() is UTC else ", UTC"


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def clock(moment: datetime) -> str:
    moment = moment.astimezone(zone())
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"


def plural(number: float, singular: str, many: str = "") -> str:
    return f"{count(number)} {singular if number == 1 else many or singular + 's'}"


def _scaled(value: float, units: tuple[str, ...], step: int, space: str) -> str:
    power = 0
    while abs(value) >= step - 0.5 and power < len(units) - 1:
        value /= step
        power += 1
    shown = f"{round(value):,}" if power == 0 or abs(value) >= 99.95 else f"{value:.1f}".removesuffix(".0")
    return _with_minus(f"{shown}{space}{units[power]}")


def _with_minus(number: str) -> str:
    """A minus is as wide as a plus, and no line ends after it."""
    return number.replace("-", "−")


def _is_missing(value: float | None) -> bool:
    return value is None or not math.isfinite(value)
