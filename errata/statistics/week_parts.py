"""What sessions of two releases count, so that both are of the same hours of the week."""

import numpy as np

from errata.statistics.stratified import Floats, Integers

HOURS_A_DAY = 24
HOURS_A_WEEK = 7 * HOURS_A_DAY
WORKDAYS = 5
HOURS: Integers = np.arange(HOURS_A_WEEK)
# Hours of any workday, and of either day of the weekend.
HOURS_OF_DAYS: Integers = HOURS % HOURS_A_DAY + HOURS_A_DAY * (HOURS >= WORKDAYS * HOURS_A_DAY)
KEPT_INFORMATION = 0.95


def matching_weights(after: Floats, before: Floats) -> tuple[Floats, Floats] | None:
    """By hour of the week (0: Monday 00:00 UTC), what a session counts; from how many sessions each hour has
    of either release. None: no hour of workdays or of weekends has sessions of both.

    In each hour both sides weigh what the harmonic mean of their sessions does (Mantel & Haenszel 1959),
    scaled so that independent sessions add up to as many as would tell as much (Kish 1965). Days are told
    apart where that costs less than a twentieth of the information, which depends on counts alone."""
    least = _information(HOURS_OF_DAYS, after, before)
    if not least:
        return None
    is_fine = _information(HOURS, after, before) >= KEPT_INFORMATION * least
    hours = HOURS if is_fine else HOURS_OF_DAYS
    one, other = (_sums(hours, side)[hours] for side in (after, before))
    both = np.maximum(one + other, 1.0)
    return _scaled(other / both, after), _scaled(one / both, before)


def _information(hours: Integers, after: Floats, before: Floats) -> float:
    one, other = _sums(hours, after), _sums(hours, before)
    return float(np.sum(one * other / np.maximum(one + other, 1.0)))


def _sums(hours: Integers, sessions: Floats) -> Floats:
    sums: Floats = np.bincount(hours, sessions, HOURS_A_WEEK).astype(np.float64)
    return sums


def _scaled(weights: Floats, sessions: Floats) -> Floats:
    scaled: Floats = weights * (weights @ sessions) / (weights**2 @ sessions)
    return scaled
