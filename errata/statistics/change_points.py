"""Where series of days changed their level, for good or for a while, and whether they drift."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from errata.statistics.discovery import benjamini_yekutieli
from errata.statistics.level_models import (
    STEP_COST,
    Fit,
    Scan,
    carried_over,
    fitted,
    mean_columns,
    profile,
    scan,
)
from errata.statistics.stratified import Floats, Integers

SIGNIFICANT = 0.05
# Of logarithms: changes of less than 3% do not matter.
SMALLEST_CHANGE = float(np.log(1.03))
# Series without a change that each candidate is compared with.
RESAMPLED = 99
# Where fewer are as large, p is extrapolated.
ENOUGH_AS_LARGE = 10
# Of twice a logarithm of likelihood, which is the largest of many: as fast as chance alone lets it fall.
SHORTEST_TAIL = 2.0
MOST_STEPS = 8
# (1 − exp(−x/2))² = 0.95: the place of a step, Hansen, Econometrica 68 (2000).
PLACE_95 = 7.35
# A level is the old one again if so much of the change is left at most.
LEFT_OF_UNDONE = 1 / 3
# In spreads: a day further from the week around it is an odd day, not a level.
ODD = 3.5
# A spread that grows or shrinks by chance does so in one series of 400.
CLEARLY = 3.0
# Of the mean deviation: smaller ones say no more.
SMALLEST_SHARE = 0.1
SEED = 20_261_121


@dataclass(frozen=True, slots=True)
class Step:
    """`index` is the first day of the new level, and within `first` to `last` in 95%; `undone` is the index
    of the step that led back."""

    index: int
    first: int
    last: int
    before: float
    after: float
    p_value: float
    undone: int | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """A line through all days, apart from steps: its values on the first and the last."""

    before: float
    after: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Changes:
    """Steps in order of time; `tested`: p-values of all that was looked for, also of what is not there."""

    steps: Sequence[Step]
    drift: Drift | None
    tested: Sequence[float]


def changes_of(series: Sequence[Floats]) -> list[Changes]:
    """Changes of each series; over all of them together, one in 20 is false at most on average."""
    return significant(list(candidates_of(series)))


def significant(candidates: Sequence[Changes]) -> list[Changes]:
    """Those that remain once all series are looked at together, which move together in unknown ways."""
    tested = [p_value for one in candidates for p_value in one.tested]
    q_values = dict(zip(tested, benjamini_yekutieli(tested), strict=True))

    def is_kept(change: Step | Drift) -> bool:
        return q_values[change.p_value] <= SIGNIFICANT

    return [
        Changes(
            _without_returns([step for step in one.steps if is_kept(step)]),
            one.drift if one.drift and is_kept(one.drift) else None,
            one.tested,
        )
        for one in candidates
    ]


def _without_returns(steps: Sequence[Step]) -> list[Step]:
    """A dip that ended, such as a week of holidays, is one shift that went away, not two."""
    kept, returns = list[Step](), set[int | None]()
    for step in steps:
        if step.index not in returns:
            kept.append(step)
            returns.add(step.undone)
    return kept


def candidates_of(series: Sequence[Floats]) -> Iterator[Changes]:
    """Changes of each series in turn, as if it were the only one.

    A step is a candidate if the best model with it beats every model without it: a level, a line, a smooth
    wave. Its p-value is the share of series resampled without a step in which a step gains as much.
    """
    usual = [without_odd_days(values) for values in series]
    weights = [spread_weights(values) for values in usual]
    alike: dict[bytes, list[int]] = defaultdict(list)
    for number, one in enumerate(weights):
        alike[one.tobytes()].append(number)
    looked: dict[int, tuple[Scan, int]] = {}
    for numbers in alike.values():
        found = scan(np.stack([usual[number] for number in numbers]), weights[numbers[0]])
        looked |= {number: (found, row) for row, number in enumerate(numbers)}
    for number, (values, one) in enumerate(zip(usual, weights, strict=True)):
        yield _Search(values, one).changes(*looked[number])


class _Search:
    """Of one series."""

    def __init__(self, values: Floats, weights: Floats) -> None:
        self.values, self.weights = values, weights
        self.generator = np.random.default_rng(SEED)

    def changes(self, looked: Scan, row: int) -> Changes:
        p_of: dict[int, float] = {}
        tested: list[float] = []
        # Each round that goes on adds a step: one that others explain is not looked for again.
        for _ in range(MOST_STEPS):
            gain, places = float(looked.gains[row]), looked.places(row)
            if looked.fit(row).terms:
                gain, places = max((gain, places), self.pair(sorted(p_of), places, looked.fit(row)))
            if gain <= 0 or len(p_of) >= MOST_STEPS:
                break
            # Compared with flat or drifting series: one that waves like this step by itself would hide it.
            resampled = self.resampled(sorted(p_of), looked.fit(row, most_terms=1))
            p_value = _share_above(gain, scan(resampled, self.weights, sorted(p_of)).gains)
            tested.append(p_value)
            if p_value > SIGNIFICANT:
                break
            settled = self.settled(p_of | dict.fromkeys(places, p_value))
            if settled.keys() == p_of.keys():
                break
            p_of = settled
            looked, row = self.scan(sorted(p_of)), 0
        drift = self.drift(sorted(p_of), looked, row)
        tested += [drift.p_value] if drift else []
        return Changes(list(self.steps(p_of, looked.fit(row))), drift, tested or [1.0])

    def scan(self, places: Sequence[int]) -> Scan:
        return scan(self.values[None], self.weights, places)

    def pair(
        self, known: Sequence[int], first: tuple[int, ...], without: Fit
    ) -> tuple[float, tuple[int, ...]]:
        """What two steps gain together: a line explains a flight of stairs better than one step does.

        Its p-value is that of one step, which is no smaller: of a series without any, two steps gain less.
        """
        places = [*first, *self.scan(sorted([*known, *first])).places()][:2]
        for number in (0, 1, 0):
            beside = sorted([*known, places[1 - number]])
            fit = self.scan(sorted([*known, *places])).fit()
            starts, scores = profile(self.values, self.weights, beside, fit)
            places[number] = int(starts[np.argmin(scores)])
        score = self.scan(sorted([*known, *places])).fit().score
        return without.score - score - 2 * STEP_COST * np.log(len(self.values)), tuple(places)

    def settled(self, p_of: dict[int, float]) -> dict[int, float]:
        """Each step where it fits best beside the others, without those that the others explain."""
        for place in sorted(p_of):
            others = [other for other in sorted(p_of) if other != place]
            fit = self.scan(sorted(p_of)).fit()
            cost = STEP_COST * np.log(len(self.values))
            if others and self.scan(others).fit().score <= fit.score + cost:
                p_of = {other: p_of[other] for other in others}
                continue
            starts, scores = profile(self.values, self.weights, others, fit)
            moved = int(starts[np.argmin(scores)])
            # Where other parts leave little of a step, no place of it can be told from them.
            if self.scan(sorted([*others, moved])).fit().score < fit.score:
                p_of = {other: p_of[other] for other in others} | {moved: p_of[place]}
        return p_of

    def steps(self, p_of: dict[int, float], fit: Fit) -> Iterator[Step]:
        places = sorted(p_of)
        coefficients, _ = fitted(self.values, self.weights, places, fit)
        mean = mean_columns(len(self.values), places, fit.terms) @ coefficients
        sizes = coefficients[1 : 1 + len(places)]
        for number, (place, size) in enumerate(zip(places, sizes, strict=True)):
            if abs(size) < SMALLEST_CHANGE:
                continue
            starts, scores = profile(
                self.values, self.weights, [other for other in places if other != place], fit
            )
            within = starts[scores <= scores.min() + PLACE_95]
            left = np.cumsum(sizes[number:])[1:]
            undone = [
                later
                for later, rest in zip(places[number + 1 :], left, strict=True)
                if abs(rest) <= LEFT_OF_UNDONE * abs(size)
            ]
            yield Step(
                index=place,
                first=int(within.min()),
                last=int(within.max()),
                before=float(mean[place] - size),
                after=float(mean[place]),
                p_value=p_of[place],
                undone=undone[0] if undone else None,
            )

    def drift(self, places: Sequence[int], looked: Scan, row: int) -> Drift | None:
        """A line that beats a level by twice its cost, and every wave."""
        margin = np.log(len(self.values))
        gain = float(looked.scores[row, 0] - looked.scores[row, 1] - margin)
        fit = looked.fit(row)
        if gain <= 0 or fit.terms != 1:
            return None
        coefficients, _ = fitted(self.values, self.weights, places, fit)
        ends = float(coefficients[0]) + float(coefficients[-1]) * np.array([-0.5, 0.5])
        if abs(ends[1] - ends[0]) < SMALLEST_CHANGE:
            return None
        scores = scan(self.resampled(places, looked.fit(row, most_terms=0)), self.weights, places).scores
        p_value = _share_above(gain, scores[:, 0] - scores[:, 1] - margin)
        return Drift(float(ends[0]), float(ends[1]), p_value)

    def resampled(self, places: Sequence[int], fit: Fit) -> Floats:
        """Series of a model, whose innovations stay on their days and change their signs: days that
        vary more do so in each (the wild bootstrap: Wu, Annals of Statistics 14, 1986)."""
        count = len(self.values)
        coefficients, new = fitted(self.values, self.weights, places, fit)
        fitted_count = len(coefficients)
        # An estimated share is too small: Kendall, Biometrika 41 (1954), here for more columns than a level.
        carried = min(0.95, fit.carried + (fitted_count + (fitted_count + 2) * fit.carried) / count)
        signs = self.generator.choice([-1.0, 1.0], (RESAMPLED, count))
        noise = new * signs * np.sqrt(count / max(count - fitted_count, 1))
        return mean_columns(count, places, fit.terms) @ coefficients + carried_over(noise, carried)


def _share_above(gain: float, resampled: Floats) -> float:
    """Where they are few, by the distribution of largest values (Gumbel's): a project has hundreds of series,
    and resampling each thousands of times costs too much."""
    larger = int((resampled >= gain).sum())
    if larger >= ENOUGH_AS_LARGE:
        return (larger + 1) / (len(resampled) + 1)
    scale = max(float(resampled.std(ddof=1)) * np.sqrt(6) / np.pi, SHORTEST_TAIL)
    mode = float(resampled.mean()) - np.euler_gamma * scale
    return float(-np.expm1(-np.exp(-(gain - mode) / scale)))


def without_odd_days(values: Floats) -> Floats:
    """Days far from the week around them are brought nearer to it."""
    level = _level(values)
    apart = values - level
    limit = ODD * 1.4826 * float(np.median(abs(apart)))
    usual: Floats = level + np.clip(apart, -limit, limit) if limit else values
    return usual


def spread_weights(values: Floats) -> Floats:
    """Of each day, the inverse of how much days like it vary; all 1 unless the spread clearly grows or
    shrinks."""
    count = len(values)
    apart = abs(values - _level(values))
    days = (np.arange(count) + 0.5) / count - 0.5
    logarithms = np.log(np.maximum(apart, SMALLEST_SHARE * float(apart.mean()) or 1.0))
    growth = float(days @ logarithms / (days @ days))
    error = float(logarithms.std() / np.sqrt(days @ days))
    is_steady = abs(growth) <= CLEARLY * error
    weights: Floats = np.ones(count) if is_steady else np.exp(-growth * days)
    return weights


def of_days(days: Sequence[tuple[date, float]]) -> Floats:
    """Logarithms of a daily figure, without what weekdays differ by: changes are factors."""
    weekdays = np.array([day.weekday() for day, _ in days], dtype=np.int64)
    return without_weekdays(np.log(np.maximum([value for _, value in days], 0.1)), weekdays)


def without_weekdays(values: Floats, weekdays: Integers) -> Floats:
    """Less what weekdays differ by from the week around them: a median over weeks, of at least three."""
    if len(values) < 3 * 7:
        return values
    apart = values - _level(values)
    shifts = np.array(
        [np.median(apart[weekdays == day]) if (weekdays == day).any() else 0.0 for day in range(7)]
    )
    steady: Floats = values - (shifts - shifts.mean())[weekdays]
    return steady


def _level(values: Floats) -> Floats:
    """The median of the week around each day."""
    padded = np.pad(values, 3, mode="reflect")
    level: Floats = np.median(np.lib.stride_tricks.sliding_window_view(padded, 7), axis=1)
    return level
