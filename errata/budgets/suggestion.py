"""A budget that today's figure would keep, and how often history would have kept it."""

import math
from dataclasses import dataclass

from errata.budgets.history import History
from errata.budgets.limit import LARGEST, Limit
from errata.budgets.state import State, outcome
from errata.budgets.wording import measure
from errata.performance.metric import Unit
from errata.reports.figures import precise

# So much more than the current value is allowed, then rounded up.
ROOM = 1.1


@dataclass(frozen=True)
class Suggestion:
    """`kept_ratio`: of the windows of 30 days with enough samples, those within `threshold`."""

    limit: Limit
    value: float
    threshold: float
    kept_ratio: float
    known_count: int

    @property
    def sentence(self) -> str:
        unit = self.limit.measured.unit
        now, fair = precise(self.value, unit), precise(self.threshold, unit)
        kept = f"kept {math.floor(self.kept_ratio * 100)}% of the last 30 days"
        return f"{measure(self.limit)} is {now}: a budget of {fair} would have been {kept}."


def suggestion(limit: Limit, history: History) -> Suggestion | None:
    """Without the limit's own threshold; None where the latest window has few samples or impossible ones."""
    current = history.current
    if current is None or current.value is None or current.independent_count < limit.least_samples:
        return None
    # A larger one no budget can have, and not a number is no figure.
    largest = current.value if current.at_most is None else current.at_most
    if not largest * ROOM <= LARGEST:
        return None
    threshold = rounded_up(largest * ROOM, limit.measured.unit)
    outcomes = [
        outcome(
            each.value,
            each.independent_count,
            threshold,
            limit.least_samples,
            each.at_least,
            each.at_most,
        )
        for each in history.evaluations
    ]
    known = [each for each in outcomes if each is not State.UNKNOWN]
    return Suggestion(limit, current.value, threshold, known.count(State.KEPT) / len(known), len(known))


def rounded_up(value: float, unit: Unit) -> float:
    """To a half of its largest digit: 2,310 to 2,500; a count to a whole number."""
    if value <= 0:
        return {Unit.RATIO: 0.01, Unit.SCORE: 0.05}.get(unit, 1.0)
    step: float = 10.0 ** math.floor(math.log10(value)) / 2
    rounded = round(math.ceil(value / step) * step, 9)
    if unit is Unit.RATIO:
        return min(rounded, 1.0)
    return float(math.ceil(rounded)) if unit is Unit.COUNT else rounded
