"""What a comparison comes to, in words."""

from dataclasses import dataclass
from enum import StrEnum
from math import log

# A change of less is not worth a person's time: releases are equal within it.
MARGIN = 0.05
# Between four fifths and five quarters of the errors: no change.
ERROR_MARGIN = log(1.25)


class Verdict(StrEnum):
    WORSE = "worse"
    BETTER = "better"
    NO_CHANGE = "no_change"
    NOT_ENOUGH_DATA = "not_enough_data"


CHANGES = (Verdict.WORSE, Verdict.BETTER)


class Reason(StrEnum):
    """Why there is not enough data, where more page loads alone might not help: of too few users, of one user
    or bot, or beside a drift that began before the release."""

    NONE = ""
    FEW_USERS = "few_users"
    ONE_USER = "one_user"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of an effect, as a ratio: 0.1 is a tenth more. They hold at every analysis."""

    low: float
    high: float


def overall(*verdicts: Verdict) -> Verdict:
    """The headline of several verdicts, each on a question of its own: one that is worse makes it worse."""
    for word in (Verdict.WORSE, Verdict.BETTER, Verdict.NO_CHANGE):
        if word in verdicts:
            return word
    return Verdict.NOT_ENOUGH_DATA


def verdict(bounds: Bounds | None, margin: float = MARGIN, is_found: bool = True) -> Verdict:
    """More is worse. Wholly within the margin: no change, even where a change, a small one, is certain.

    `is_found`: whether it is among the discoveries of its release; if not, it is called neither worse nor
    better.
    """
    if bounds is None:
        return Verdict.NOT_ENOUGH_DATA
    if bounds.low > -margin and bounds.high < margin:
        return Verdict.NO_CHANGE
    if bounds.low > 0 and is_found:
        return Verdict.WORSE
    if bounds.high < 0 and is_found:
        return Verdict.BETTER
    return Verdict.NOT_ENOUGH_DATA
