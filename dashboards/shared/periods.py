"""Periods as people choose them."""

from datetime import timedelta

from api.parameters import Period

CHOICES = (
    ("24h", "24 hours"),
    ("7d", "7 days"),
    ("14d", "14 days"),
    ("30d", "30 days"),
    ("90d", "90 days"),
)
TREND_CHOICES = (*CHOICES, ("26w", "26 weeks"), ("52w", "52 weeks"))
UNITS = {"h": "hour", "d": "day", "w": "week"}


def period(text: str, default: str) -> Period:
    """The default stands for a text that is no period, so that a mangled link still shows something."""
    try:
        return Period.parse(text)
    except ValueError:
        return Period(default)


def words(chosen: Period) -> str:
    number = int(chosen[:-1])
    return f"{number} {UNITS[chosen[-1]]}{'' if number == 1 else 's'}"


def choices(chosen: Period, offered: tuple[tuple[str, str], ...] = CHOICES) -> list[tuple[str, str]]:
    """The periods offered, and the one of the address."""
    if chosen in {value for value, _ in offered}:
        return list(offered)
    return [*offered, (chosen, words(chosen))]


def bar_length(chosen: Period) -> timedelta:
    """The length of a bar, of which a period has 24 to 60."""
    for length in (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(weeks=1)):
        if chosen.length / length <= 60:
            return length
    return timedelta(weeks=4)
