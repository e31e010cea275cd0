"""The history of a budget as SVG paths: its figure, and its limit."""

from collections.abc import Sequence
from dataclasses import dataclass

from errata.budgets.state import Evaluation, State

WIDTH, HEIGHT = 160, 34
# A line of more points is no clearer: of each part of the time the highest is drawn.
MOST_POINTS = 80
ROOM = 1.08


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """`line` has gaps where samples were too few; `over` are the parts surely above the threshold."""

    line: str
    over: str
    threshold: str
    words: str


def budget_line(evaluations: Sequence[Evaluation], threshold: float, words: str) -> BudgetLine:
    points = _points([each.value if each.is_measured else None for each in evaluations])
    highest = max([value for value in points if value is not None] + [threshold]) * ROOM or 1
    step = WIDTH / max(1, len(points) - 1)
    over = _points([each.value if each.outcome is State.BREACHED else None for each in evaluations])
    limit = f"M0 {HEIGHT - threshold / highest * HEIGHT:.1f}h{WIDTH}"
    return BudgetLine(_path(points, step, highest), _path(over, step, highest), limit, words)


def _path(points: Sequence[float | None], step: float, highest: float) -> str:
    parts, is_drawn = list[str](), False
    for position, value in enumerate(points):
        if value is not None:
            place = f"{position * step:.1f} {HEIGHT - value / highest * HEIGHT:.1f}"
            # A point alone is seen, too.
            parts.append(f"L{place}" if is_drawn else f"M{place}h.1")
        is_drawn = value is not None
    return "".join(parts)


def _points(values: Sequence[float | None]) -> list[float | None]:
    size = -(-len(values) // MOST_POINTS) or 1
    parts = [values[start : start + size] for start in range(0, len(values), size)]
    return [max((value for value in part if value is not None), default=None) for part in parts]
