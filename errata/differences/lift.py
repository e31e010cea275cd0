"""How many times more often: the ratio of two shares, drawn towards 1, and its score interval."""

from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist

# Half a source with the value and half a one without it, more than were seen, on each side.
HALF = 0.5
STEPS = 60


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def lift(count: float, total: float, other_count: float, other_total: float) -> float:
    """The ratio of the shares; of few sources it is drawn towards 1, and never without an end."""
    share = (count + HALF) / (total + 2 * HALF)
    other_share = (other_count + HALF) / (other_total + 2 * HALF)
    return share / other_share


def interval(count: float, total: float, other_count: float, other_total: float, level: float) -> Interval:
    """All ratios that the score test does not refute: Koopman (1984), Miettinen and Nurminen (1985).

    `level` is the share of intervals that may miss.
    """
    limit = NormalDist().inv_cdf(1 - level / 2) ** 2
    table = (count, total, other_count, other_total)
    share, other_share = count / total, other_count / other_total
    ratio = share / other_share if other_share else inf
    low = _bound(table, limit, 0.0, ratio, inside_above=True) if count else 0.0
    high = _bound(table, limit, ratio, inf, inside_above=False) if other_count else inf
    return Interval(low, high)


def _bound(
    table: tuple[float, float, float, float],
    limit: float,
    outside: float,
    inside: float,
    *,
    inside_above: bool,
) -> float:
    """Halves, on a logarithmic scale, the span in which the statistic crosses the limit."""
    low = max(outside, 1e-9) if inside_above else outside or 1e-9
    high = min(inside, 1e9)
    for _ in range(STEPS):
        middle = sqrt(low * high)
        is_inside = _statistic(table, middle) <= limit
        if is_inside is inside_above:
            high = middle
        else:
            low = middle
    return sqrt(low * high)


def _statistic(table: tuple[float, float, float, float], ratio: float) -> float:
    """The squared difference over its variance where the true ratio is this one."""
    count, total, other_count, other_total = table
    a = (total + other_total) * ratio
    b = -(total * ratio + count + other_total + other_count * ratio)
    c = count + other_count
    # The likeliest shares among those with this ratio: the smaller root of a quadratic.
    other_share = (-b - sqrt(max(b * b - 4 * a * c, 0.0))) / (2 * a)
    share = ratio * other_share
    variance = share * (1 - share) / total + ratio * ratio * other_share * (1 - other_share) / other_total
    difference = count / total - ratio * other_count / other_total
    return difference * difference / variance if variance > 0 else (0.0 if difference == 0 else inf)
