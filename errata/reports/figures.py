"""Figures of performance by their unit, as pages and reports write them."""

from errata.performance.metric import Unit
from errata.reports import formats


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


def precise(value: float | None, unit: Unit) -> str:
    """2,503 ms, 312.5 KB, 0.12, 1.5%: never rounded so far that a breach would look like the budget."""
    if value is None:
        return formats.NOTHING
    match unit:
        case Unit.MS:
            return f"{_short(value, 1 if value < 100 else 0)} ms"
        case Unit.BYTES:
            return f"{_short(value / 1000, 1)} KB"
        case Unit.RATIO:
            return f"{_short(value * 100, 2)}%"
    return _short(value, 3)


def _short(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
