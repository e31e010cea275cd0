"""Models of a daily series: levels with steps, a line or a smooth wave, and noise that days carry to the
next. A step is there if no model without it explains the days as well."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from errata.statistics.stratified import Floats, Integers

# A level is told from fewer days by chance too often.
FEWEST_DAYS = 7
# Shares of its noise that a day may carry to the next.
CARRIED = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
# Half-waves of fewer days are noise, or steps.
HALF_WAVE_DAYS, MOST_HALF_WAVES = 14, 12
# What a part of a model must gain, in logarithms of the number of days (BIC: 1 a parameter). A step has a
# size, and a place among many; a wave has parts that follow from each other in some degree.
STEP_COST, BUMP_COST = 2.85, 4.0
WAVE_COST, HALF_WAVE_COST = 1.0, 0.65
# A level that lasts and goes away again: its lengths, in days.
BUMP_DAYS = (7, 9, 11, 14, 17, 21, 26, 33, 41, 51, 64, 80)
# Numbers of terms of the curve that a step may come on top of.
TERMS_BESIDE = (0, 1, 2, 3, 5, 8, 12)
# Of what is left of a step once other parts are known; less cannot be told from them.
LEAST_OF_ITS_OWN = 0.05
NOTHING = 1e-12


class Fit(NamedTuple):
    """Terms of the curve (0: none, 1: a line, more: waves), the share carried over, and the score: −2 log
    likelihood and the costs of all parts but known steps."""

    terms: int
    carried: float
    score: float


class Added(NamedTuple):
    """Days a level may begin and end on; one that ends with the last day is a step, as the first
    `step_count` do."""

    starts: Integers
    ends: Integers
    step_count: int


@dataclass(frozen=True, slots=True)
class Scan:
    """The best models of several rows, without and with one step or bump more.

    `scores` and `carried` are of models without it, by number of terms: rows × terms.
    """

    count: int
    scores: Floats
    carried: Floats
    with_added: Floats
    added: Integers

    @property
    def gains(self) -> Floats:
        """By how much the score is better with a step or bump than with anything else."""
        found: Floats = self.scores.min(axis=1) - self.with_added
        return found

    def fit(self, row: int = 0, most_terms: int | None = None) -> Fit:
        """The best without a step more, of those with so many terms at most."""
        terms = int(np.argmin(self.scores[row, : None if most_terms is None else most_terms + 1]))
        return Fit(terms, float(self.carried[row, terms]), float(self.scores[row, terms]))

    def places(self, row: int = 0) -> tuple[int, ...]:
        """Where levels change by the best step or bump."""
        added = addable(self.count)
        start, end = int(added.starts[self.added[row]]), int(added.ends[self.added[row]])
        return (start,) if end == self.count else (start, end)


def scan(rows: Floats, weights: Floats, steps: Sequence[int] = ()) -> Scan:
    """Searches all rows, whose days are of one number, beside steps that are known.

    `weights` are of days: the inverse of how much they vary.
    """
    row_count, count = rows.shape
    added, columns = addable(count), mean_columns(count, steps)
    is_apart, known = _is_apart(added, steps), 1 + len(steps)
    terms_count = columns.shape[1] - known + 1
    scores, carried_by = np.full((row_count, terms_count), np.inf), np.zeros((row_count, terms_count))
    with_added, best = np.full(row_count, np.inf), np.zeros(row_count, dtype=np.int64)
    for carried in CARRIED:
        base = np.linalg.qr((innovations(columns.T, carried) * weights).T)[0].T
        new = innovations(rows, carried) * weights
        parts = new @ base.T
        left = np.maximum(
            (new**2).sum(axis=1)[:, None] - np.cumsum(parts**2, axis=1)[:, known - 1 :], NOTHING
        )
        costs = np.array([_cost(terms) for terms in range(terms_count)]) * np.log(count)
        likelihood = count * np.log(left) - np.log1p(-(carried**2)) + costs
        carried_by = np.where(likelihood < scores, carried, carried_by)
        scores = np.minimum(scores, likelihood)
        for terms, explained in _explained(added, is_apart, base, new, weights, carried, known):
            for cost, where in _kinds(added):
                index = where.start + np.argmax(explained[:, where], axis=1)
                most = np.take_along_axis(explained, index[:, None], axis=1)[:, 0]
                remaining = np.log(np.maximum(left[:, terms] - most, NOTHING) / left[:, terms])
                score = likelihood[:, terms] + count * remaining + cost * np.log(count)
                best = np.where(score < with_added, index, best)
                with_added = np.minimum(with_added, score)
    return Scan(count, scores, carried_by, with_added, best)


def profile(values: Floats, weights: Floats, others: Sequence[int], fit: Fit) -> tuple[Integers, Floats]:
    """Places of one step beside others, and −2 log likelihood of each."""
    count = len(values)
    every = addable(count)
    steps = Added(every.starts[: every.step_count], every.ends[: every.step_count], every.step_count)
    columns = mean_columns(count, others, fit.terms)
    base = np.linalg.qr((innovations(columns.T, fit.carried) * weights).T)[0].T
    new = (innovations(values, fit.carried) * weights)[None]
    ((_, explained),) = _explained(
        steps, _is_apart(steps, others), base, new, weights, fit.carried, len(base), (0,)
    )
    left = float((new**2).sum() - ((new @ base.T) ** 2).sum())
    return steps.starts, count * np.log(np.maximum(left - explained[0], NOTHING))


def fitted(values: Floats, weights: Floats, steps: Sequence[int], fit: Fit) -> tuple[Floats, Floats]:
    """Coefficients of `mean_columns` and the innovations that remain, by generalized least squares."""
    design = innovations(mean_columns(len(values), steps, fit.terms).T, fit.carried).T
    new = innovations(values, fit.carried)
    solved = np.linalg.lstsq(design * weights[:, None], new * weights, rcond=None)[0]
    coefficients = np.asarray(solved, dtype=np.float64)
    return coefficients, new - design @ coefficients


def mean_columns(count: int, steps: Sequence[int], terms: int | None = None) -> Floats:
    """The level, the steps, and terms of the curve (all, unless a number is given)."""
    days = np.arange(count)
    known = [np.ones(count), *((days >= step).astype(np.float64) for step in steps)]
    return np.hstack((np.stack(known, axis=1), _curve(count)[:, :terms]))


def innovations(rows: Floats, carried: float) -> Floats:
    """What is new on each day; days are the last axis."""
    new = np.empty_like(rows)
    new[..., 0] = rows[..., 0] * np.sqrt(1 - carried**2)
    new[..., 1:] = rows[..., 1:] - carried * rows[..., :-1]
    return new


def carried_over(new: Floats, carried: float) -> Floats:
    """The inverse of `innovations`."""
    days = np.empty_like(new.T)
    days[0] = new[:, 0] / np.sqrt(1 - carried**2)
    for day in range(1, len(days)):
        days[day] = carried * days[day - 1] + new[:, day]
    return days.T


@lru_cache(maxsize=32)
def addable(count: int) -> Added:
    """Every step in so many days, then bumps on a grid that is coarser for longer ones."""
    starts = list(range(FEWEST_DAYS, count - FEWEST_DAYS + 1))
    ends = [count] * len(starts)
    step_count = len(starts)
    for length in BUMP_DAYS:
        places = range(FEWEST_DAYS, count - FEWEST_DAYS - length + 1, max(1, length // 6))
        starts += places
        ends += [place + length for place in places]
    return Added(np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64), step_count)


@lru_cache(maxsize=32)
def _curve(count: int) -> Floats:
    place = (np.arange(count) + 0.5) / count
    waves = range(1, min(count // HALF_WAVE_DAYS, MOST_HALF_WAVES) + 1)
    return np.stack([place - 0.5, *(np.cos(np.pi * number * place) for number in waves)], axis=1)


def _cost(terms: int) -> float:
    return float(terms) if terms <= 1 else 1 + WAVE_COST + HALF_WAVE_COST * (terms - 1)


def _kinds(added: Added) -> Iterator[tuple[float, slice]]:
    yield STEP_COST, slice(0, added.step_count)
    if added.step_count < len(added.starts):
        yield BUMP_COST, slice(added.step_count, len(added.starts))


def _is_apart(added: Added, steps: Sequence[int]) -> Floats:
    """1 where a level would begin and end far enough from known steps, else 0."""
    is_apart = np.ones(len(added.starts))
    for step in steps:
        is_apart *= (abs(added.starts - step) >= FEWEST_DAYS) & (abs(added.ends - step) >= FEWEST_DAYS)
    return is_apart


def _explained(
    added: Added,
    is_apart: Floats,
    base: Floats,
    new: Floats,
    weights: Floats,
    carried: float,
    known: int,
    terms_beside: Sequence[int] = TERMS_BESIDE,
) -> Iterator[tuple[int, Floats]]:
    """With numbers of terms: the part of the sum of squares that each level would explain, by rows.

    A product with a column that is 1 from a start to an end is a difference of cumulative sums, so that all
    places cost as much as one.
    """
    across, shared = (_sums_over(_adjoint(each * weights, carried), added) for each in (new, base))
    parts, squares = new @ base.T, np.append(weights**2, 0.0)
    lasting = np.cumsum(squares)[added.ends - 1] - np.cumsum(squares)[added.starts]
    whole = squares[added.starts] + lasting * (1 - carried) ** 2 + squares[added.ends] * carried**2
    done = 0
    for terms in terms_beside:
        until = known + terms
        if until > len(base):
            break
        across -= parts[:, done:until] @ shared[done:until]
        own = whole - (shared[:until] ** 2).sum(axis=0)
        yield terms, across**2 * is_apart * (own > LEAST_OF_ITS_OWN * whole) / np.maximum(own, NOTHING)
        done = until


def _adjoint(new: Floats, carried: float) -> Floats:
    """Rows whose product with a column is that of `new` with the column's innovations."""
    rows = new.copy()
    rows[:, 0] *= np.sqrt(1 - carried**2)
    rows[:, :-1] -= carried * new[:, 1:]
    return rows


def _sums_over(rows: Floats, added: Added) -> Floats:
    sums = np.zeros((rows.shape[0], rows.shape[1] + 1))
    np.cumsum(rows, axis=1, out=sums[:, 1:])
    found: Floats = sums[:, added.ends] - sums[:, added.starts]
    return found
