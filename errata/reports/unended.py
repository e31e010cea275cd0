"""Percentiles of load times in words, where loads had not ended when they were reported."""

from collections.abc import Sequence

from errata.reports import formats
from errata.warehouse.queries.performance.unended import NAMES, Unended, is_open


def least(told: str, unended: Unended, name: str) -> str:
    """≥ 1.93 s where the percentile may truly be more than 1% higher."""
    return f"≥\N{NO-BREAK SPACE}{told}" if name in unended.at_least else told


def unended_words(unended: Unended, known: Sequence[float | None]) -> str:
    """5 of 91 loads had not finished when they were reported: p95 is at least 4.1 s. Empty if all had."""
    if not unended.count:
        return ""
    verb = "loads had" if unended.load_count != 1 else "load had"
    begin = f"{formats.count(unended.count)} of {formats.count(unended.load_count)} {verb} not finished"
    reached = [
        _bounds(name, low, high)
        for name, low, high in zip(NAMES, known, unended.at_most, strict=True)
        if low is not None and is_open(low, high)
    ]
    if not reached:
        return f"{begin} when reported: p50, p75 and p95 would be at most 1% higher if they had."
    *others, last = reached
    return f"{begin} when reported: {', '.join(others) + ' and ' if others else ''}{last}."


def steps_note(steps: Sequence[Unended]) -> str:
    """Of lines of percentiles by step: that they are lower bounds. Empty if none is."""
    if not any(step.at_least for step in steps):
        return ""
    count = formats.plural(sum(step.count for step in steps), "load")
    return f"lines are lower bounds, since {count} had not finished when reported"


def _bounds(name: str, low: float, high: float | None) -> str:
    if high is None:
        return f"{name} is at least {formats.duration(low)}"
    return f"{name} is {formats.duration(low)} to {formats.duration(high)}"
