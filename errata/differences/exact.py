"""The exact test of a two by two table: the hypergeometric distribution, with the mid-p correction."""

from collections.abc import Iterator
from math import exp, lgamma

# Terms this much smaller than the first change no digit that counts.
NEGLIGIBLE = 1e-15


def mid_p(issue_count: int, issue_total: int, rest_count: int, rest_total: int) -> float:
    """Twice the smaller tail, of what was observed only half: Lancaster (1961), doubled for two sides.

    Of `issue_total` sources `issue_count` have the value, of `rest_total` others `rest_count`.
    """
    observed = _probability(issue_count, issue_total, rest_count, rest_total)
    beyond = sum(_tail(issue_count, issue_total, rest_count, rest_total))
    # The same tail with the parts exchanged: what is above for one is below for the other.
    below = sum(_tail(rest_count, rest_total, issue_count, issue_total))
    tail = min(beyond, below)
    return min(1.0, 2 * observed * (0.5 + tail))


def _tail(count: int, total: int, other_count: int, other_total: int) -> Iterator[float]:
    """The tables with more of `count` and the same margins, as multiples of the one observed."""
    term = 1.0
    while count < total and other_count > 0:
        # From one table to the next: C(n, k+1)/C(n, k) · C(m, j-1)/C(m, j).
        term *= (total - count) / (count + 1) * other_count / (other_total - other_count + 1)
        if term < NEGLIGIBLE:
            return
        yield term
        count, other_count = count + 1, other_count - 1


def _probability(count: int, total: int, other_count: int, other_total: int) -> float:
    return exp(
        _log_choose(total, count)
        + _log_choose(other_total, other_count)
        - _log_choose(total + other_total, count + other_count)
    )


def _log_choose(total: int, chosen: int) -> float:
    return lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1)
