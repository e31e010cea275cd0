"""Whether two releases have the same mix of visitors, by what comparisons do not adjust for."""

import numpy as np
from numpy.typing import NDArray

from errata.statistics.stratified import Integers, summed

# A smaller move changes no verdict, however certain it is.
LEAST_MOVE = 0.05
# Two-sided 0.1%: several shares of several columns are looked at.
SURE = 3.29


def has_moved(categories: Integers, is_after: NDArray[np.bool_], users: NDArray[np.uint64]) -> bool:
    """Whether any category's share of the loads differs between the two sides by 5 points or more, and by
    more than chance: loads of one user are of one browser, so that the variance is that of users (0: nobody
    known, by itself)."""
    after_count = np.count_nonzero(is_after)
    before_count = len(is_after) - after_count
    if not after_count or not before_count:
        return False
    people = np.unique(users, return_inverse=True)[1].astype(np.int64)
    nobody = users == 0
    people[nobody] = len(users) + np.arange(np.count_nonzero(nobody))
    places = np.unique(people, return_inverse=True)[1].astype(np.int64)
    count = int(places.max()) + 1
    sides = np.where(is_after, 1 / after_count, -1 / before_count)
    for category in np.unique(categories):
        held = (categories == category).astype(np.float64)
        move = float(held @ sides)
        if abs(move) < LEAST_MOVE:
            continue
        expected = np.where(is_after, held[is_after].mean(), held[~is_after].mean())
        sums = summed(places, (held - expected) * sides, count)
        if abs(move) > SURE * float(np.sqrt(sums @ sums)):
            return True
    return False
