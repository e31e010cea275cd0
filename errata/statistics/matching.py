"""Which views of two releases may be compared: those of the same page, device and hour of the week."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errata.statistics.hour_effects import hour_effects
from errata.statistics.stratified import Floats, Integers, Side, Strata, information

HOUR_SECONDS = 3600
HOURS_A_DAY = 24
# 1970 began on a Thursday; days 0 to 4 are Monday to Friday.
EPOCH_WEEKDAY = 3
WORKDAYS = 5
# Hours are told apart as finely as costs less than a twentieth of what the comparison can tell: what an hour
# adds on all pages alike is taken out before, so that fine strata are for pages whose hours differ.
BLOCKS = (1, 3, 6, 24)
KEPT_INFORMATION = 0.95
# How alike two loads of one user are, before that is known from the loads.
USUALLY_ALIKE = 0.2
# Views that are near in time are alike: spans this long, or as long as leave so many of them on either side.
SPAN_HOURS = (6.0, 3.0, 1.0, 0.25, 1 / 12)
FEWEST_SPANS = 12


@dataclass(frozen=True)
class Views:
    """Columns of one release: a value, what it is compared within (a number for page and device), unix
    seconds, and whose the load is (0: nobody known)."""

    values: Floats
    groups: Integers
    seconds: Floats
    users: NDArray[np.uint64]

    def where(self, held: NDArray[np.bool_]) -> "Views":
        return Views(self.values[held], self.groups[held], self.seconds[held], self.users[held])


def matched(after: Views, before: Views, *, is_seasonal: bool) -> Strata | None:
    """None where no hour of the week, page and device has views of both, or not for long enough to say how
    they vary. `is_seasonal`: hours of the week may add to a value.

    Hours count as the same on any workday, and on any day of the weekend. Views of hours that the other
    release has not seen are left out first: a release of this morning is compared with mornings. Which
    strata are made follows from how many views there are and never from their values, so that choosing
    them biases nothing.
    """
    after, before = _same_hours(after, before)
    if not len(after.values) or not len(before.values):
        return None
    length = _span_seconds(after, before)
    if length is None:
        return None
    users = _users(after, before)
    counts = _counts(*users)
    strata = [_strata(side, BLOCKS[-1]) for side in (after, before)]
    least = KEPT_INFORMATION * information(*zip(strata, counts, strict=True))
    if not least:
        return None
    for block in reversed(BLOCKS[:-1]):
        finer = [_strata(side, block) for side in (after, before)]
        if information(*zip(finer, counts, strict=True)) < least:
            break
        strata = finer
    values = _in_one_hour(after, before, counts) if is_seasonal else (after.values, before.values)
    sides = [
        Side(of_side, of_strata, own, (side.seconds // length).astype(np.int64))
        for side, of_side, of_strata, own in zip((after, before), values, strata, users, strict=True)
    ]
    return Strata(sides[0], sides[1], length / HOUR_SECONDS)


def _in_one_hour(after: Views, before: Views, counts: Sequence[Floats]) -> Sequence[Floats]:
    """The values as if all views had come in one hour: strata of several hours leave their differences in."""
    seconds = np.concatenate((after.seconds, before.seconds)).astype(np.float64)
    cells = np.concatenate((2 * after.groups + 1, 2 * before.groups)).astype(np.int64)
    values = np.concatenate((after.values, before.values)).astype(np.float64)
    counted = np.concatenate(tuple(counts)).astype(np.float64)
    level = values - hour_effects(values, hours_of_week(seconds), cells, counted)
    return level[: len(after.values)], level[len(after.values) :]


def hours_of_week(seconds: Floats) -> Integers:
    """0 to 23 on workdays, 24 to 47 on weekends."""
    hours = (seconds // HOUR_SECONDS).astype(np.int64)
    weekdays = (hours // HOURS_A_DAY + EPOCH_WEEKDAY) % 7
    answer: Integers = hours % HOURS_A_DAY + np.where(weekdays >= WORKDAYS, HOURS_A_DAY, 0)
    return answer


def _same_hours(after: Views, before: Views) -> Sequence[Views]:
    own, other = hours_of_week(after.seconds), hours_of_week(before.seconds)
    return after.where(np.isin(own, other)), before.where(np.isin(other, own))


def _strata(views: Views, block: int) -> Integers:
    return views.groups * (2 * HOURS_A_DAY) + hours_of_week(views.seconds) // block


def _users(after: Views, before: Views) -> Sequence[Integers]:
    """A number for each user of both sides; loads of nobody known have a negative one each."""
    known = np.concatenate((after.users, before.users))
    numbers = np.unique(known, return_inverse=True)[1].astype(np.int64)
    nobody = known == 0
    numbers[nobody] = -1 - np.arange(np.count_nonzero(nobody))
    return numbers[: len(after.users)], numbers[len(after.users) :]


def _counts(after: Integers, before: Integers) -> Sequence[Floats]:
    """What each load counts: of a user with many less."""
    users, loads = np.unique(np.concatenate((after, before)), return_inverse=True, return_counts=True)[1:]
    counts = 1 / (1 + (loads[users] - 1) * USUALLY_ALIKE)
    return counts[: len(after)], counts[len(after) :]


def _span_seconds(after: Views, before: Views) -> float | None:
    for hours in SPAN_HOURS:
        length = hours * HOUR_SECONDS
        if all(len(np.unique(side.seconds // length)) >= FEWEST_SPANS for side in (after, before)):
            return length
    return None
