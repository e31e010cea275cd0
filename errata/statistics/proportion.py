"""Shares with an interval, such as crash-free sessions."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """`low` and `high` bound the share itself; of nothing everything is possible."""

    count: float
    total: float
    low: float
    high: float

    @property
    def value(self) -> float | None:
        return self.count / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Difference:
    value: float
    low: float
    high: float


def wilson(count: int, total: int, level: float = LEVEL) -> Share:
    """The score interval: p where |count/total − p| = z √(p (1 − p) / total).

    Wilson, Journal of the American Statistical Association 22 (1927); it holds its level near 0 and 1 and
    for few, where the usual p ± z·se does not.
    """
    if not total:
        return Share(0, 0, 0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, of = count / total, z * z / total
    centre = (share + of / 2) / (1 + of)
    half = z * sqrt(share * (1 - share) / total + of / total / 4) / (1 + of)
    return Share(
        count,
        total,
        # Exact at the ends, where rounding would leave 1e-18.
        0.0 if count == 0 else max(0.0, centre - half),
        1.0 if count == total else min(1.0, centre + half),
    )


def newcombe(after: Share, before: Share) -> Difference | None:
    """after − before from the two score intervals: d − √((p₁−l₁)² + (u₂−p₂)²) to d + √((u₁−p₁)² + (p₂−l₂)²).

    Newcombe, Statistics in Medicine 17 (1998), method 10. None where either has nothing.
    """
    if after.value is None or before.value is None:
        return None
    difference = after.value - before.value
    return Difference(
        difference,
        difference - sqrt((after.value - after.low) ** 2 + (before.high - before.value) ** 2),
        difference + sqrt((after.high - after.value) ** 2 + (before.value - before.low) ** 2),
    )
