"""Which views of two releases may be compared: those of the same page, device and hour of the week."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errata.statistics.stratified import Floats, Integers, Side, Strata

HOUR_SECONDS = 3600
HOURS_A_DAY = 24
# 1970 began on a Thursday; days 0 to 4 are Monday to Friday.
EPOCH_WEEKDAY = 3
WORKDAYS = 5
# Hours are told apart as finely as costs less than a tenth of what the comparison can tell.
BLOCKS = (1, 3, 6, 24)
KEPT_INFORMATION = 0.9
# Views that are near in time are alike: spans this long, or as long as leave so many of them on either side.
SPAN_HOURS = (6.0, 3.0, 1.0, 0.25, 1 / 12)
FEWEST_SPANS = 12


@dataclass(frozen=True)
class Views:
    """Columns of one release: a value, what it is compared within (a number for page and device), unix
    seconds."""

    values: Floats
    groups: Integers
    seconds: Floats

    def where(self, held: NDArray[np.bool_]) -> "Views":
        return Views(self.values[held], self.groups[held], self.seconds[held])


def matched(after: Views, before: Views) -> Strata | None:
    """None where no hour of the week, page and device has views of both, or not for long enough to say how
    they vary.

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
    found = Strata(*(_side(side, BLOCKS[-1], length) for side in (after, before)))
    least = KEPT_INFORMATION * found.information
    for block in reversed(BLOCKS[:-1]):
        finer = Strata(*(_side(side, block, length) for side in (after, before)))
        if finer.information < least:
            break
        found = finer
    return found if found.count else None


def hours_of_week(seconds: Floats) -> Integers:
    """0 to 23 on workdays, 24 to 47 on weekends."""
    hours = (seconds // HOUR_SECONDS).astype(np.int64)
    weekdays = (hours // HOURS_A_DAY + EPOCH_WEEKDAY) % 7
    answer: Integers = hours % HOURS_A_DAY + np.where(weekdays >= WORKDAYS, HOURS_A_DAY, 0)
    return answer


def _same_hours(after: Views, before: Views) -> Sequence[Views]:
    own, other = hours_of_week(after.seconds), hours_of_week(before.seconds)
    return after.where(np.isin(own, other)), before.where(np.isin(other, own))


def _side(views: Views, block: int, cluster_seconds: float) -> Side:
    blocks = hours_of_week(views.seconds) // block
    strata = views.groups * (2 * HOURS_A_DAY) + blocks
    return Side(views.values, strata, (views.seconds // cluster_seconds).astype(np.int64))


def _span_seconds(after: Views, before: Views) -> float | None:
    for hours in SPAN_HOURS:
        length = hours * HOUR_SECONDS
        if all(len(np.unique(side.seconds // length)) >= FEWEST_SPANS for side in (after, before)):
            return length
    return None
