"""Levels of log records, as Sentry's protocol and OpenTelemetry name them."""

from typing import Literal, get_args

Level = Literal["trace", "debug", "info", "warn", "error", "fatal"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the least severe on."""


def levels_from(least: str) -> tuple[Level, ...]:
    """The level and those more severe; all for any other word."""
    first = next((number for number, level in enumerate(LEVELS) if level == least), 0)
    return LEVELS[first:]
