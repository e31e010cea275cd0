"""Values of charts in the words of tables: the ticks of an axis, and what is shown where one points."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.figures import figure

MOST_TICKS = 5
# Steps of time that people count in; shorter and longer ones follow powers of ten.
SECOND_MS = 1_000
MINUTE_MS = 60_000
TIME_STEPS_MS = (60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 14_400_000, 86_400_000)
# Finer steps would be written alike.
FINEST = {Unit.MS: 0.001, Unit.COUNT: 1.0, Unit.BYTES: 1.0, Unit.SCORE: 0.01, Unit.RATIO: 0.001}
# A larger value was never measured, and no axis shows it beside the others.
MOST = 1e15
ROOM = 1.05
TRAILING_ZEROS = re.compile(r"\.0+(?!\d)|(?<=\.\d)0+(?!\d)")


def value_axis(
    values: Iterable[float | None], unit: Unit, title: str = "", most_ticks: int = MOST_TICKS
) -> dict[str, Any]:
    """From zero to the highest, with ticks such as 1.5 s and 120 KB."""
    highest = max((value for value in shown(values) if value is not None), default=0.0) or 1.0
    step = tick_step(highest, unit, most_ticks)
    ticks = [number * step for number in range(most_ticks + 2) if number * step <= max(highest * ROOM, step)]
    return {
        "title": {"text": title},
        "tickvals": ticks,
        "ticktext": axis_words(ticks, unit),
        "range": [0, max(highest, step) * ROOM],
        "fixedrange": True,
    }


def tick_step(highest: float, unit: Unit, most_ticks: int = MOST_TICKS) -> float:
    """The smallest round step that needs few ticks."""
    least = max(FINEST[unit], highest / most_ticks)
    if unit is Unit.MS and MINUTE_MS / 2 < least <= TIME_STEPS_MS[-1]:
        return next(step for step in TIME_STEPS_MS if step >= least)
    power = 10.0 ** math.floor(math.log10(least))
    return next((step * power for step in (1, 2, 5) if step * power >= least), 10 * power)


def tick_words(value: float, unit: Unit) -> str:
    """A round number, which needs no digits after it: 1 s where a table has 1.00 s."""
    words = formats.compact(value) if unit is Unit.COUNT else figure(value, unit)
    return TRAILING_ZEROS.sub("", words)


def axis_words(ticks: Sequence[float], unit: Unit) -> list[str]:
    """The words of ticks; a zero is in the unit of seconds beside seconds."""
    words = [tick_words(tick, unit) for tick in ticks]
    if unit is Unit.MS and ticks[0] == 0 and ticks[-1] >= SECOND_MS:
        words[0] = "0 s"
    return words


def hovers(values: Sequence[float | None], unit: Unit, before: str = "") -> list[str]:
    return [f"{before}{figure(value, unit)}" for value in values]


def shown(values: Iterable[float | None]) -> list[float | None]:
    """Values that an axis can hold; None, a gap, for others."""
    return [value if value is not None and abs(value) <= MOST else None for value in values]
