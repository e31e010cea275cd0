"""A line of durations over time as SVG, for what is printed: no script, no colour that paper cannot show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from errata.performance.metric import Unit
from errata.reports.chart_marks import MOST_DEPLOYS, annotation_words
from errata.reports.chart_values import axis_words, shown
from errata.reports.release_labels import release_labels
from errata.state.annotations import Annotation

WIDTH, HEIGHT = 640, 150
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 20, 20
LINES = 4
# Of a name above the plot: its widest characters, and what keeps it apart from the next.
CHARACTER_WIDTH, NAME_ROOM = 5.2, 6
LONGEST_NAME = 22
MOST_ANNOTATIONS = 8


@dataclass(frozen=True, slots=True)
class Mark:
    place: float
    words: str


@dataclass(frozen=True, slots=True)
class Deploy:
    """Where a release began; without a name where that of the next is too near."""

    place: float
    name: str
    name_place: float


@dataclass(frozen=True, slots=True)
class Noted:
    """What people noted: numbered in the chart, in words below it. `end` is `place` for a moment."""

    number: int
    place: float
    end: float
    words: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """In units of the drawing. `path` has gaps where nothing was measured."""

    path: str
    points: tuple[tuple[float, float], ...]
    marks: tuple[Mark, ...]
    days: tuple[tuple[float, date], ...]
    deploys: tuple[Deploy, ...]
    annotations: tuple[Noted, ...]


def line_chart(
    values: Sequence[tuple[date, float | None]],
    deploys: Sequence[tuple[datetime, str]] = (),
    annotations: Sequence[Annotation] = (),
) -> LineChart | None:
    """From zero up; None of fewer than two values. Each value stands in the middle of its step."""
    values = list(zip([day for day, _ in values], shown(value for _, value in values), strict=True))
    known = [value for _, value in values if value is not None]
    if len(known) < 2:
        return None
    highest = _round_up(max(known)) or 1.0
    step = (WIDTH - LEFT - RIGHT) / len(values)
    places = [
        (round(LEFT + (number + 0.5) * step, 1), None if value is None else _height(value, highest))
        for number, (_, value) in enumerate(values)
    ]
    every = -(-len(values) // 6)
    lines = [highest * line / LINES for line in range(LINES + 1)]
    first, across = values[0][0], len(values) * (values[1][0] - values[0][0])
    return LineChart(
        path=_path(places),
        points=tuple((x, y) for x, y in places if y is not None),
        marks=tuple(
            Mark(_height(value, highest), words)
            for value, words in zip(lines, axis_words(lines, Unit.MS), strict=True)
        ),
        days=tuple((places[number][0], values[number][0]) for number in range(0, len(values), every)),
        deploys=_deploys(deploys, first, across),
        annotations=tuple(_annotations(annotations, first, across)),
    )


def _deploys(deploys: Sequence[tuple[datetime, str]], first: date, across: timedelta) -> tuple[Deploy, ...]:
    """Of many the latest."""
    start = datetime.combine(first, time(), UTC)
    inside = [one for one in deploys if start <= one[0] < start + across][-MOST_DEPLOYS:]
    places = [round(LEFT + (moment - start) / across * (WIDTH - LEFT - RIGHT), 1) for moment, _ in inside]
    labels = release_labels([name for _, name in inside], LONGEST_NAME)
    return tuple(reversed(list(_named(list(reversed(list(zip(places, labels, strict=True))))))))


def _annotations(annotations: Sequence[Annotation], first: date, across: timedelta) -> Iterator[Noted]:
    """Of many the latest; of a span what is inside."""
    start = datetime.combine(first, time(), UTC)
    end = start + across
    inside = [
        (max(one.note.at, start), min(one.note.until or one.note.at, end), one)
        for one in annotations
        if one.note.at < end and start <= (one.note.until or one.note.at)
    ]
    for number, (since, until, one) in enumerate(inside[-MOST_ANNOTATIONS:], start=1):
        places = [
            round(LEFT + (moment - start) / across * (WIDTH - LEFT - RIGHT), 1) for moment in (since, until)
        ]
        yield Noted(number, places[0], places[1], annotation_words(one))


def _named(places: Sequence[tuple[float, str]]) -> Iterator[Deploy]:
    """From the last on; a name at the right end stands left of its line's place, so that it is whole."""
    free = float(WIDTH)
    for place, label in places:
        length = len(label) * CHARACTER_WIDTH
        begin = round(min(place, WIDTH - length), 1)
        is_named = begin + length + NAME_ROOM <= free or free == WIDTH
        yield Deploy(place, label if is_named else "", begin)
        free = begin if is_named else free


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
