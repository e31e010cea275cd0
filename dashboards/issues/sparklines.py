"""Counts over time as one small SVG path, made on the server."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, GAP = 112, 26, 1
SMALLEST_BAR = 2


@dataclass(frozen=True, slots=True)
class Sparkline:
    path: str
    words: str


def sparkline(counts: Sequence[int], covered: str) -> Sparkline:
    """`covered` is the period that the whole width stands for: "14 days"."""
    highest = max(counts, default=0)
    total = sum(counts)
    words = f"{total:,} event{'' if total == 1 else 's'} in {covered}, peak {highest:,} per bar"
    if not highest:
        return Sparkline("", f"No events in {covered}")
    step = WIDTH / len(counts)
    bar = max(step - GAP, 1)
    parts = []
    for position, count in enumerate(counts):
        if count:
            height = max(SMALLEST_BAR, count / highest * (HEIGHT - 1))
            parts.append(f"M{position * step:.1f} {HEIGHT - 1}v-{height:.1f}h{bar:.1f}v{height:.1f}z")
    return Sparkline("".join(parts), words)
