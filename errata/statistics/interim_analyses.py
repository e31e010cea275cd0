"""When a release is judged, so that judging it again and again raises no false alarms."""

from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from statistics import NormalDist

FALSE_ALARMS = 0.05
# A release whose loads changed without an analysis is judged again, but not more often.
AT_MOST_EVERY = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class InterimAnalysis:
    """`after` its first view, a release is judged by what occurred until then, at the level `alpha`."""

    after: timedelta
    alpha: float
    words: str

    @property
    def z(self) -> float:
        return NormalDist().inv_cdf(1 - self.alpha / 2)

    def spent(self, p_value: float) -> float:
        """The p-value with what the other analyses cost: at most `FALSE_ALARMS` where this analysis's alpha
        is met."""
        return min(1.0, p_value * FALSE_ALARMS / self.alpha)


# Alpha spending: the levels add up to 5%, so that all analyses together are wrong in 5% of releases at
# most, whatever their answers have to do with each other (Bonferroni; Lan & DeMets, Biometrika 70 (1983)
# for spending by a plan). Each analysis takes what occurred before a moment that is fixed by the release's
# first view, so that a rebuild judges as the first build did. An always-valid interval (a mixture
# martingale) would allow an analysis at any moment for z = 3.03 at best at each; these need 3.48 in the first
# hours, when only a grave change shows at all, and 2.17 at the end, when most is known.
INTERIM_ANALYSES = (
    InterimAnalysis(timedelta(hours=1), 0.0005, "1 hour"),
    InterimAnalysis(timedelta(hours=3), 0.0005, "3 hours"),
    InterimAnalysis(timedelta(hours=6), 0.001, "6 hours"),
    InterimAnalysis(timedelta(hours=12), 0.001, "12 hours"),
    InterimAnalysis(timedelta(days=1), 0.002, "1 day"),
    InterimAnalysis(timedelta(days=2), 0.005, "2 days"),
    InterimAnalysis(timedelta(days=4), 0.01, "4 days"),
    InterimAnalysis(timedelta(days=7), 0.03, "7 days"),
)


# In so many of 100 releases without a change, as many values as are still needed tell it.
TOLD = 0.8


def still_needed(reach: float, margin: float, after: float, before: float) -> int:
    """How many more values of either release would tell that nothing changed by `margin`, at the last
    analysis; by the reach of the 95% interval to either side, of so many values of the release and of the one
    before. 0: there are enough."""
    usual, last = NormalDist().inv_cdf(0.975), INTERIM_ANALYSES[-1].z
    wanted = margin / (last + NormalDist().inv_cdf(0.5 + TOLD / 2))
    have = 2 / (1 / after + 1 / before)
    return max(0, ceil(have * ((reach / usual / wanted) ** 2 - 1)))


def analysis_at(age: timedelta) -> InterimAnalysis | None:
    """The last that has come at this age; None before the first."""
    return next((analysis for analysis in reversed(INTERIM_ANALYSES) if analysis.after <= age), None)


def next_analysis(age: timedelta) -> InterimAnalysis | None:
    return next((analysis for analysis in INTERIM_ANALYSES if analysis.after > age), None)
