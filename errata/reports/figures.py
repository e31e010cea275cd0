"""Figures of performance by their unit, as pages and reports write them."""

from errata.budgets.metric import Unit
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
    return formats.NOTHING if value is None else f"{value:,.1f}".removesuffix(".0")
