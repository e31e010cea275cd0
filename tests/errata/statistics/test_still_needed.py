"""How many more values tell that nothing changed."""

from statistics import NormalDist

import numpy as np
import pytest

from errata.statistics.interim_analyses import INTERIM_ANALYSES, TOLD, still_needed
from errata.statistics.verdict import MARGIN, Bounds, Verdict, verdict
from tests.cases import each

USUAL = NormalDist().inv_cdf(0.975)


@each("counts", [(2000.0, 2000.0), (500.0, 20_000.0)])
def test_with_as_many_more_no_change_is_told_in_four_of_five_cases(counts: tuple[float, float]) -> None:
    def error(after: float, before: float) -> float:
        return float(np.sqrt(1 / after + 1 / before))

    more = still_needed(USUAL * error(*counts), MARGIN, *counts)
    have = 2 / (1 / counts[0] + 1 / counts[1])
    last = error(have + more, have + more)
    z = INTERIM_ANALYSES[-1].z
    found = np.random.default_rng(4).normal(0, last, 4000)
    told = [verdict(Bounds(one - z * last, one + z * last)) == Verdict.NO_CHANGE for one in found]
    assert np.mean(told) == pytest.approx(TOLD, abs=0.03)


def test_none_are_needed_where_the_interval_is_narrow() -> None:
    assert still_needed(MARGIN / 3, MARGIN, 5000, 5000) == 0
    needed = [still_needed(reach, MARGIN, 5000, 5000) for reach in (0.04, 0.08, 0.16)]
    assert needed == sorted(needed) and needed[0] > 0
