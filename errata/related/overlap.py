"""The minutes that two issues share, and how likely chance alone would have them share as many.

Neighboring minutes are one occurrence: a burst that meets another has met it once, however many events both
had. By chance each occurrence of the first issue would lie anywhere around its place, as a whole, while the
second issue stays where it is. Both may then follow the hours of the day without being related for that.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Minutes up to this far apart belong to one occurrence.
NEIGHBORS = 5
# An occurrence may lie as many minutes earlier or later. No more than half an hour for a short one: what made
# both occur at all, as a release does, may not have lasted longer. Three times its length for a long one:
# moved by less, it would nearly always meet itself.
LEAST_REACH, LENGTHS, MOST_REACH = 30, 3, 240


@dataclass(frozen=True)
class Overlap:
    """`count` minutes of `occurrence_count` occurrences; `probability` is that of as many or more."""

    count: int
    occurrence_count: int
    expected: float
    probability: float

    @property
    def lift(self) -> float:
        return self.count / self.expected if self.expected else 0.0


@dataclass(frozen=True)
class _Occurrence:
    """Its minutes, and by how many all of them may be moved within the span."""

    minutes: NDArray[np.int64]
    moves: NDArray[np.int64]

    def shared(self, other: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The number of minutes shared, for each move."""
        counts: NDArray[np.int64] = other[self.minutes[:, None] + self.moves].sum(axis=0)
        return counts


class Occurrences:
    """Those of an issue from its first minute to `last`."""

    def __init__(self, minutes: Iterable[int], last: int) -> None:
        ordered = np.array(sorted(set(minutes)), dtype=np.int64)
        self._first = int(ordered[0])
        self._length = max(last, int(ordered[-1])) - self._first + 1
        self._minutes = ordered - self._first
        self._all = list(self._occurrences())
        self._earliest, self._latest = (
            np.concatenate([np.full(len(one.minutes), one.moves[end]) for one in self._all])
            for end in (0, -1)
        )

    def overlap(self, others: Sequence[int], least_lift: float) -> Overlap:
        """With the minutes of another issue; below `least_lift` the probability is not worked out but 1."""
        other = np.zeros(self._length, dtype=np.bool_)
        within = np.asarray(others, dtype=np.int64) - self._first
        other[within[(within >= 0) & (within < self._length)]] = True
        shared = other[self._minutes]
        starts = np.cumsum([0, *(len(one.minutes) for one in self._all[:-1])])
        touched = int(np.logical_or.reduceat(shared, starts).sum())
        found = Overlap(int(shared.sum()), touched, self._expected(other), 1.0)
        if found.lift < least_lift:
            return found
        return Overlap(found.count, touched, found.expected, self._tail(other, found.count))

    def _occurrences(self) -> Iterator[_Occurrence]:
        for minutes in np.split(self._minutes, np.flatnonzero(np.diff(self._minutes) > NEIGHBORS) + 1):
            begin, end = int(minutes[0]), int(minutes[-1])
            reach = min(max(LEAST_REACH, LENGTHS * (end - begin + 1)), MOST_REACH)
            earliest, latest = -min(begin, reach), min(self._length - 1 - end, reach)
            yield _Occurrence(minutes, np.arange(earliest, latest + 1))

    def _expected(self, other: NDArray[np.bool_]) -> float:
        before = np.concatenate([[0], np.cumsum(other)])
        met = before[self._minutes + self._latest + 1] - before[self._minutes + self._earliest]
        return float((met / (self._latest - self._earliest + 1)).sum())

    def _tail(self, other: NDArray[np.bool_], count: int) -> float:
        """Exact: occurrences move independently of each other, so their distributions are convolved."""
        total = np.ones(1)
        for one in self._all:
            shared = one.shared(other)
            if shared.any():
                total = np.convolve(total, np.bincount(shared) / len(shared))
        return float(min(1.0, total[count:].sum()))
