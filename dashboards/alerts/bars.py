"""Firings of a rule by day as one SVG path."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT = 900, 90
SMALLEST_BAR = 3


@dataclass(frozen=True)
class Bars:
    """`highest` is the number that the tallest bar stands for."""

    path: str
    words: str
    highest: int
    first: datetime
    last: datetime


def bars(by_day: Sequence[tuple[datetime, int]], sentence: str) -> Bars:
    highest = max((count for _day, count in by_day), default=0)
    step = WIDTH / len(by_day)
    parts = []
    for position, (_day, count) in enumerate(by_day):
        if count:
            height = max(SMALLEST_BAR, count / highest * (HEIGHT - 2))
            parts.append(f"M{position * step + 0.5:.1f} {HEIGHT}v-{height:.1f}h{step - 1:.1f}v{height:.1f}z")
    return Bars("".join(parts), sentence, highest, by_day[0][0], by_day[-1][0])
