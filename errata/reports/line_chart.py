"""A line of values over time as SVG, for what is printed: no script, no colour that paper cannot show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

WIDTH, HEIGHT = 640, 150
LEFT, RIGHT, TOP, BOTTOM = 52, 8, 10, 20
LINES = 4


@dataclass(frozen=True, slots=True)
class Mark:
    place: float
    value: float


@dataclass(frozen=True, slots=True)
class LineChart:
    """In units of the drawing. `path` has gaps where nothing was measured."""

    path: str
    points: tuple[tuple[float, float], ...]
    marks: tuple[Mark, ...]
    days: tuple[tuple[float, date], ...]


def line_chart(values: Sequence[tuple[date, float | None]]) -> LineChart | None:
    """From zero up; None of fewer than two values."""
    known = [value for _, value in values if value is not None]
    if len(known) < 2:
        return None
    highest = _round_up(max(known)) or 1.0
    step = (WIDTH - LEFT - RIGHT) / max(1, len(values) - 1)
    places = [
        (round(LEFT + number * step, 1), None if value is None else _height(value, highest))
        for number, (_, value) in enumerate(values)
    ]
    # The last word would stand over the edge.
    every = -(-len(values) // 6)
    return LineChart(
        path=_path(places),
        points=tuple((x, y) for x, y in places if y is not None),
        marks=tuple(
            Mark(_height(highest * line / LINES, highest), highest * line / LINES)
            for line in range(LINES + 1)
        ),
        days=tuple(
            (places[number][0], values[number][0]) for number in range(0, max(1, len(values) - 1), every)
        ),
    )


def _height(value: float, highest: float) -> float:
    return round(TOP + (1 - value / highest) * (HEIGHT - TOP - BOTTOM), 1)


def _path(places: Sequence[tuple[float, float | None]]) -> str:
    parts, is_drawn = list[str](), False
    for x, y in places:
        if y is not None:
            parts.append(f"{'L' if is_drawn else 'M'}{x} {y}")
        is_drawn = y is not None
    return "".join(parts)


def _round_up(value: float) -> float:
    """To 1, 2, 4, 5, 8 or 10 of its power of ten: lines at a quarter of it are round."""
    power = 1.0
    while value > 10 * power:
        power *= 10
    while value and value <= power:
        power /= 10
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value)
