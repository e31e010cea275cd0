"""Levels of log records, as Sentry's protocol and OpenTelemetry name them."""

from typing import Literal, get_args

Level = Literal["trace", "debug", "info", "warn", "error", "fatal"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the least severe on."""
# Words of Python's logging and of syslog.
OTHER_WORDS: dict[str, Level] = {"warning": "warn", "critical": "fatal"}
OF_WORD: dict[str, Level] = {**{str(level): level for level in LEVELS}, **OTHER_WORDS}
# Of OpenTelemetry, from 1 on (opentelemetry.io/docs/specs/otel/logs/data-model).
SEVERITY_NUMBERS_A_LEVEL = 4


def level_of(word: str, severity_number: object) -> Level | None:
    """By the word, whatever its case, else by the number; None if neither says one."""
    if level := OF_WORD.get(word.lower()):
        return level
    most = SEVERITY_NUMBERS_A_LEVEL * len(LEVELS)
    if isinstance(severity_number, int) and 1 <= severity_number <= most:
        return LEVELS[(severity_number - 1) // SEVERITY_NUMBERS_A_LEVEL]
    return None


def levels_from(least: str) -> tuple[Level, ...]:
    """The level and those more severe; all for any other word."""
    first = next((number for number, level in enumerate(LEVELS) if level == least), 0)
    return LEVELS[first:]
