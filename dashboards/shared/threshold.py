"""Thresholds as people type them: 1500, 1.5 s, 300 KB, 2%."""

import re
from collections.abc import Mapping

from errata.errors import InvalidParameter
from errata.performance.metric import Unit

# How much of what is kept one of each unit is; a number alone is in the first.
TYPED_IN: Mapping[Unit, Mapping[str, float]] = {
    Unit.MS: {"ms": 1, "s": 1000, "min": 60_000},
    Unit.BYTES: {"KB": 1000, "B": 1, "MB": 1_000_000, "GB": 1_000_000_000},
    Unit.RATIO: {"%": 0.01},
    Unit.COUNT: {"": 1},
    Unit.SCORE: {"": 1},
}
EXAMPLES: Mapping[Unit, str] = {
    Unit.MS: "a time such as 1500, 1500 ms or 1.5 s",
    Unit.BYTES: "a size such as 300, 300 KB or 1.5 MB",
    Unit.RATIO: "a percentage from 0 to 100, such as 2 or 2%",
    Unit.COUNT: "a number such as 40",
    Unit.SCORE: "a number such as 0.1",
}
# A comma stands between thousands alone: 1,5 would be read as 15.
TYPED = re.compile(
    r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)\s*([a-z%]*)", re.ASCII | re.IGNORECASE
)


def typed(text: str, unit: Unit) -> float:
    """Raises InvalidParameter."""
    units = {name.lower(): size for name, size in TYPED_IN[unit].items()}
    match = TYPED.fullmatch(text.strip())
    size = units.get(match[2].lower()) if match and match[2] else next(iter(units.values()))
    if match is None or size is None:
        raise refused(unit)
    return round(float(match[1].replace(",", "")) * size, 9)


def refused(unit: Unit) -> InvalidParameter:
    return InvalidParameter("threshold", f"enter {EXAMPLES[unit]}")


def written(value: float, unit: Unit) -> str:
    """The value in the first unit of its kind: 2500, 312.5, 1.5."""
    text = f"{value / next(iter(TYPED_IN[unit].values())):.6f}"
    return text.rstrip("0").rstrip(".")
