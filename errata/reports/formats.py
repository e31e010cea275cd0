"""The one place where numbers, units and moments become words."""

import math
from datetime import UTC, datetime

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


def count(value: float | None) -> str:
    """1,234"""
    return NOTHING if _is_missing(value) else f"{round(value):,}"  # type: ignore[arg-type]


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


def score(value: float | None) -> str:
    """A unitless figure such as CLS: 0.07"""
    return NOTHING if value is None or _is_missing(value) else f"{value:.2f}"


def ratio(value: float | None) -> str:
    """0.0421 as 4.2%"""
    if value is None or _is_missing(value):
        return NOTHING
    share = value * 100
    if 0 < abs(share) < 0.1:
        return "<0.1%" if share > 0 else ">−0.1%"
    return f"{share:.1f}".removesuffix(".0").replace("-", "−") + "%"


def change(value: float | None) -> str:
    """+12% or −3.4%"""
    if value is None or _is_missing(value):
        return NOTHING
    shown = ratio(value)
    return f"+{shown}" if value > 0 and not shown.startswith("<") else shown


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
    return f"{moment.astimezone(UTC):%-d %b %Y}"


def exact(moment: datetime) -> str:
    """Sat 21 Nov 2026, 10:00:00.123 UTC"""
    moment = moment.astimezone(UTC)
    return f"{moment:%a %-d %b %Y, %H:%M:%S}.{moment.microsecond // 1000:03d} UTC"


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def clock(moment: datetime) -> str:
    moment = moment.astimezone(UTC)
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"


def plural(number: float, singular: str, many: str = "") -> str:
    return f"{count(number)} {singular if number == 1 else many or singular + 's'}"


def _scaled(value: float, units: tuple[str, ...], step: int, space: str) -> str:
    power = 0
    while abs(value) >= step - 0.5 and power < len(units) - 1:
        value /= step
        power += 1
    shown = f"{round(value):,}" if power == 0 or abs(value) >= 99.95 else f"{value:.1f}".removesuffix(".0")
    return f"{shown}{space}{units[power]}"


def _is_missing(value: float | None) -> bool:
    return value is None or not math.isfinite(value)
