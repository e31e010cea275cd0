"""Shares of sessions with intervals that know whose the sessions are: a crash loop is one user's."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, inf, log, sqrt
from statistics import NormalDist

import numpy as np

from errata.statistics.proportion import LEVEL, Share, newcombe
from errata.statistics.stratified import Floats
from errata.statistics.verdict import Bounds, Verdict, verdict

USUAL = NormalDist().inv_cdf(0.5 + LEVEL / 2)
# How alike two sessions of one user are where no session shows it, since none crashed or all did.
USUALLY_ALIKE = 0.2
# Half a point of crash-free sessions: less is no change.
MARGIN = 0.005
# Bounds for any time of looking are narrowest at about so many independent sessions, by this number, at which
# the boundary of a normal mixture is lowest.
NARROWEST_AT = 1000
LOWEST = 8.19


@dataclass(frozen=True)
class Clusters:
    """Sessions of users or of spans of time: how many each cluster has, how many of them crashed, and how
    many clusters are just so."""

    sessions: Floats
    crashed: Floats
    clusters: Floats

    @classmethod
    def of(cls, rows: Sequence[tuple[float, float, int]]) -> "Clusters":
        columns = np.array(rows, dtype=np.float64).reshape(-1, 3)
        return cls(columns[:, 0], columns[:, 1], columns[:, 2])

    def squares(self, share: float, total: float) -> float:
        """Σ (crashed − share · sessions)², of a cluster that is much of all by 1 − its part more."""
        left = np.maximum(0.25, 1 - self.sessions / total)
        return float(np.sum(self.clusters * (self.crashed - share * self.sessions) ** 2 / left))


NOBODY = Clusters.of([])


@dataclass(frozen=True)
class Sessions:
    """Of one release. `users` has the sessions of nobody known too, each by itself; `known` those of
    identified users; `visits` are of one user in one of the `spans` of time; `by_hour`, all of each hour of
    the week. Sessions that are compared may count more or less than 1 (`week_parts`)."""

    users: Clusters
    known: Clusters = NOBODY
    spans: Clusters = NOBODY
    visits: Clusters = NOBODY
    by_hour: Floats = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def count(self) -> float:
        return float(np.sum(self.users.clusters * self.users.sessions))

    @cached_property
    def crashed(self) -> float:
        return float(np.sum(self.users.clusters * self.users.crashed))

    @cached_property
    def independent(self) -> float:
        """So many independent sessions would tell as much.

        The variance of a ratio of sums is that of clusters by user and by span of time, Cameron, Gelbach &
        Miller, Journal of Business & Economic Statistics 29 (2011), and never less than that of independent
        sessions.
        """
        if not self.count:
            return 0.0
        share, total = self.crashed / self.count, self.count
        if share in (0, 1):
            squares = float(np.sum(self.users.clusters * self.users.sessions**2))
            return total / (1 + (squares / total - 1) * USUALLY_ALIKE)
        variance = self.users.squares(share, total)
        if len(self.spans.sessions) > 1:
            variance += max(0.0, self.spans.squares(share, total) - self.visits.squares(share, total))
        return min(total, share * (1 - share) * total**2 / variance)

    def crash_free(self, z: float = USUAL) -> Share:
        """The share of sessions that did not crash: the score interval of as many independent ones as would
        tell as much. Where that rests on few users with many crashes it is itself uncertain: Student's
        quantiles stand for the normal ones, with the degrees of freedom that the fourth moment leaves."""
        return self._share(z, self.independent, self._freedom)

    def crash_free_as_like(self, other: "Sessions", z: float) -> Share:
        """The same, if sessions are as alike as those of the more alike side: of few users none may loop."""
        parts = [one.independent / one.count for one in (self, other) if one.count]
        return self._share(z, self.count * min(parts, default=1.0), min(self._freedom, other._freedom))

    def _share(self, z: float, size: float, freedom: float) -> Share:
        if not self.count:
            return Share(0, 0, 0.0, 1.0)
        low, high = score_interval(1 - self.crashed / self.count, size, widened(z, freedom))
        return Share(self.count - self.crashed, self.count, low, high)

    @property
    def of_users(self) -> "Sessions":
        """Each identified user as one session, which crashed if any did."""
        known = self.known
        each = Clusters(np.ones(len(known.sessions)), (known.crashed > 0).astype(np.float64), known.clusters)
        return Sessions(each)

    @cached_property
    def _freedom(self) -> float:
        """2 K / (kurtosis − 1) of the crashes of the K users who had any: infinite where each had one."""
        users = self.users
        count = float(np.sum(users.clusters[users.crashed > 0]))
        if not count:
            return inf
        second, fourth = (float(np.sum(users.clusters * users.crashed**power)) / count for power in (2, 4))
        excess = fourth / second**2 - 1
        return inf if excess < 1e-9 else max(1.0, 2 * count / excess)


def crash_verdict(after: Sessions, before: Sessions) -> Verdict:
    """Whether crash-free sessions went down, wrong in at most 5% of releases however often it is asked: by
    the normal mixture of Robbins, Annals of Mathematical Statistics 41 (1970), for nearly normal sums."""
    size = min(after.independent, before.independent)
    z = any_look_z(size) if size else USUAL
    found = newcombe(after.crash_free_as_like(before, z), before.crash_free_as_like(after, z))
    return verdict(Bounds(-found.high, -found.low) if found else None, MARGIN)


def any_look_z(size: float) -> float:
    """How many standard errors bound a mean of so many at every size at once, in 95 of 100 cases."""
    seen = LOWEST * size / NARROWEST_AT
    return sqrt(2 * (seen + 1) / seen * log(sqrt(seen + 1) / (1 - LEVEL)))


def widened(z: float, freedom: float) -> float:
    """Student's quantile for a normal one: Wallace, Annals of Mathematical Statistics 30 (1959)."""
    if freedom == inf:
        return z
    scaled = z * (8 * freedom + 3) / (8 * freedom + 1)
    return sqrt(freedom * (exp(min(50.0, scaled * scaled / freedom)) - 1))


def score_interval(share: float, size: float, z: float) -> tuple[float, float]:
    """Wilson's, of a size that is no whole number."""
    of = z * z / size
    center = (share + of / 2) / (1 + of)
    half = z * sqrt(share * (1 - share) / size + of / size / 4) / (1 + of)
    return max(0.0, min(share, center - half)), min(1.0, max(share, center + half))
