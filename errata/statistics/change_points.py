"""Where a series of days changed its level: E-divisive, confirmed by two tests of another kind."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errata.statistics.rank_tests import mann_kendall, mann_whitney
from errata.statistics.stratified import Floats, Integers

SIGNIFICANT = 0.05
# One more than permutations: p is at least their inverse.
PERMUTATIONS = 199
# A level is told from fewer days by chance too often.
FEWEST_DAYS = 7
# Days that follow each other are alike: they are permuted together.
BLOCK_DAYS = 3
SEED = 20_261_121


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """`index` is the first day of the new level; `before` and `after` are the medians of the levels beside
    it."""

    index: int
    before: float
    after: float
    p_e_divisive: float
    p_mann_whitney: float
    p_mann_kendall: float

    @property
    def vote_count(self) -> int:
        """Of three tests; E-divisive is always one: the others test a place that was searched for, and
        would by themselves find one in noise."""
        found = (self.p_e_divisive, self.p_mann_whitney, self.p_mann_kendall)
        return sum(p_value < SIGNIFICANT for p_value in found)


def change_points(values: Floats, permutations: int = PERMUTATIONS) -> list[ChangePoint]:
    """In order of time; only those that two of three tests speak for.

    Matteson & James, Journal of the American Statistical Association 109 (2014): the place that divides a
    stretch into the two most different ones, measured by distances (exponent 1), then the same within each
    stretch, as long as a permutation test finds it; in use for performance at MongoDB (Daly et al., ICPE
    2020) and in Apache Otava.
    """
    places = sorted(_places(values, permutations))
    bounds = [0, *(place for place, _ in places), len(values)]
    found = []
    for number, (place, p_value) in enumerate(places):
        before, after = values[bounds[number] : place], values[place : bounds[number + 2]]
        point = ChangePoint(
            place,
            float(np.median(before)),
            float(np.median(after)),
            p_value,
            mann_whitney(before, after),
            mann_kendall(np.concatenate((before, after))),
        )
        if point.vote_count >= 2:
            found.append(point)
    return found


def without_weekdays(values: Floats, weekdays: Integers) -> Floats:
    """Less what weekdays differ by from the week around them: a median over weeks, of at least three."""
    if len(values) < 3 * 7:
        return values
    padded = np.pad(values, 3, mode="reflect")
    level = np.median(np.lib.stride_tricks.sliding_window_view(padded, 7), axis=1)
    apart = values - level
    shifts = np.array(
        [np.median(apart[weekdays == day]) if (weekdays == day).any() else 0.0 for day in range(7)]
    )
    steady: Floats = values - (shifts - shifts.mean())[weekdays]
    return steady


def _places(values: Floats, permutations: int) -> Iterator[tuple[int, float]]:
    generator = np.random.default_rng(SEED)
    waiting = [(0, len(values))]
    while waiting:
        since, until = waiting.pop()
        stretch = values[since:until]
        if len(stretch) < 2 * FEWEST_DAYS:
            continue
        distances = np.abs(stretch[:, None] - stretch[None, :])
        place, largest = best_division(distances)
        p_value = _permuted(distances, largest, generator, permutations)
        if p_value < SIGNIFICANT:
            yield since + place, p_value
            waiting += [(since, since + place), (since + place, until)]


def _permuted(distances: Floats, largest: float, generator: np.random.Generator, permutations: int) -> float:
    """Share of permutations that divide as well; ends as soon as they are too many to be significant."""
    larger, enough = 0, SIGNIFICANT * (permutations + 1)
    for number in range(permutations):
        order = _shuffled(generator, len(distances))
        larger += best_division(distances[np.ix_(order, order)])[1] >= largest
        if larger + 1 >= enough:
            return (larger + 1) / (number + 2)
    return (larger + 1) / (permutations + 1)


def best_division(distances: Floats) -> tuple[int, float]:
    """The division with the largest m n / (m + n) (2 mean|x − y| − mean|x − x′| − mean|y − y′|)."""
    count = len(distances)
    sums = distances.cumsum(axis=0).cumsum(axis=1)
    place = np.arange(FEWEST_DAYS, count - FEWEST_DAYS + 1)
    total = sums[-1, -1]
    within_first = sums[place - 1, place - 1]
    across = sums[place - 1, -1] - within_first
    within_second = total - within_first - 2 * across
    first, second = place.astype(np.float64), (count - place).astype(np.float64)
    energy = (
        2 * across / (first * second)
        - within_first / (first * (first - 1))
        - within_second / (second * (second - 1))
    )
    weighted = first * second / (first + second) * energy
    best = int(np.argmax(weighted))
    return int(place[best]), float(weighted[best])


def _shuffled(generator: np.random.Generator, count: int) -> Integers:
    """Blocks of days in another order; where the blocks begin is chance too."""
    offset = int(generator.integers(BLOCK_DAYS))
    blocks = np.array_split(np.arange(count), range(offset or BLOCK_DAYS, count, BLOCK_DAYS))
    return np.concatenate([blocks[number] for number in generator.permutation(len(blocks))])
