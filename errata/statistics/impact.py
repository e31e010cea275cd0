"""What a release changed, page by page and metric by metric: comparisons put together and judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from errata.statistics.comparison import Comparison, comparable, compare
from errata.statistics.discovery import benjamini_hochberg
from errata.statistics.interim_analyses import FALSE_ALARMS, InterimAnalysis
from errata.statistics.matching import Views
from errata.statistics.verdict import MARGIN, Reason, Verdict, verdict

# Of fewer users, evenly busy, nobody could tell how users differ.
FEWEST_USERS = 5
# A user with more of the page loads is named as the reason for a wide interval.
DOMINATING = 0.1
# Shares of a page that moves: they may be 0, so their change is a difference.
DIFFERENCES = frozenset({"cls"})
# A difference that a person would see on the page: half of what separates good from needing improvement.
DIFFERENCE_MARGIN = 0.05


@dataclass(frozen=True, slots=True)
class Impact:
    """Of one page ('' is all of them) and metric; figures in the metric's unit, ratios where its name says
    so."""

    page: str
    metric: str
    comparison: Comparison
    before_p50: float
    before_p75: float
    after_p50: float
    after_p75: float
    q_value: float
    verdict: Verdict
    reason: Reason = Reason.NONE

    @property
    def is_ratio(self) -> bool:
        return self.metric not in DIFFERENCES

    def in_units(self, effect: float) -> float:
        return effect * self.before_p50 if self.is_ratio else effect

    def as_ratio(self, effect: float) -> float:
        return effect if self.is_ratio else nan


def impact(
    page: str, metric: str, after: Views, before: Views, analysis: InterimAnalysis | None
) -> Impact | None:
    """None where too little is comparable; without an analysis everything is known but the verdict."""
    z = analysis.z if analysis else 4.0
    is_ratio = metric not in DIFFERENCES
    found = compare(after, before, z=z, is_ratio=is_ratio)
    if found is None:
        return None
    word = verdict(found.bounds, DIFFERENCE_MARGIN if metric in DIFFERENCES else MARGIN)
    if analysis is None or found.freedom < FEWEST_USERS:
        word = Verdict.NOT_ENOUGH_DATA
    return Impact(
        page,
        metric,
        found,
        *_quartiles(comparable(before, is_ratio=is_ratio)),
        *_quartiles(comparable(after, is_ratio=is_ratio)),
        nan,
        word,
        _reason(found) if word == Verdict.NOT_ENOUGH_DATA else Reason.NONE,
    )


def _reason(found: Comparison) -> Reason:
    if found.largest_share > DOMINATING:
        return Reason.ONE_USER
    return Reason.FEW_USERS if found.freedom < FEWEST_USERS else Reason.NONE


def _quartiles(views: Views) -> tuple[float, float]:
    """As measured: the mix of pages and devices is that of each side."""
    return float(np.percentile(views.values, 50)), float(np.percentile(views.values, 75))


def judged(found: Sequence[Impact], analysis: InterimAnalysis | None) -> list[Impact]:
    """With q-values over all pages and metrics; what is not found by them is neither worse nor better.

    All pages together are one question for each metric, asked before anything was seen: they are judged by
    themselves.
    """
    together = [one for one in found if not one.page]
    single = [one for one in found if one.page]
    if analysis is None:
        return [*together, *single]
    q_values = benjamini_hochberg([analysis.spent(one.comparison.p_value) for one in single])
    return [
        *together,
        *(
            replace(one, q_value=q_value, verdict=_unless_missed(one.verdict, q_value))
            for one, q_value in zip(single, q_values, strict=True)
        ),
    ]


def _unless_missed(word: Verdict, q_value: float) -> Verdict:
    is_change = word in (Verdict.WORSE, Verdict.BETTER)
    return Verdict.NOT_ENOUGH_DATA if is_change and not q_value <= FALSE_ALARMS else word
