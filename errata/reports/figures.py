"""Figures of performance by their unit, as pages and reports write them."""

from collections.abc import Callable

from errata.performance.metric import Unit
from errata.reports import formats

MOST_DIGITS = 10


def figure(value: float | None, unit: Unit | str) -> str:
    match unit:
        case Unit.MS:
            return formats.duration(value)
        case Unit.BYTES:
            return formats.size(value)
        case Unit.RATIO:
            return formats.ratio(value)
        case Unit.SCORE:
            return formats.score(value)
    return formats.NOTHING if value is None else formats.decimal(value)


def apart(
    value: float | None, limit: float, unit: Unit, write: Callable[[float | None, Unit], str] = figure
) -> tuple[str, str]:
    """A value and its limit, with as many digits as it takes to see that they differ."""
    told = write(value, unit), write(limit, unit)
    if value is None or value == limit:
        return told
    for digits in range(MOST_DIGITS):
        if told[0] != told[1]:
            break
        told = _with_digits(value, unit, digits), _with_digits(limit, unit, digits)
    return told


def precise(value: float | None, unit: Unit) -> str:
    """2,503 ms, 312.5 KB, 0.12, 1.5%"""
    if value is None:
        return formats.NOTHING
    digits = {Unit.MS: 1 if value < 100 else 0, Unit.BYTES: 1, Unit.RATIO: 2}.get(unit, 3)
    return _with_digits(value, unit, digits)


def _with_digits(value: float, unit: Unit, digits: int) -> str:
    match unit:
        case Unit.MS:
            return f"{_short(value, digits)} ms"
        case Unit.BYTES:
            return f"{_short(value / 1000, digits)} KB"
        case Unit.RATIO:
            return f"{_short(value * 100, digits)}%"
    return _short(value, digits)


def _short(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
