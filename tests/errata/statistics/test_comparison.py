"""Our statistics beside those of scipy, and on samples whose truth is known."""

from dataclasses import replace
from math import log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from errata.statistics.comparison import Comparison, compare
from errata.statistics.impact import impact
from errata.statistics.matching import Views, hours_of_week
from errata.statistics.stratified import Floats, Integers, Side, Strata
from tests.cases import each
from tests.errata.statistics.traffic import World, traffic

FEW_VALUES = some.lists(some.integers(0, 6), min_size=3, max_size=25)


def of_nobody(values: Floats, groups: Integers, seconds: Floats) -> Views:
    return Views(values, groups, seconds, np.zeros(len(values), dtype=np.uint64))


def side(strata: list[list[int]], numbers: int = 0) -> Side:
    """Each of a user of its own, all in one span, so that the exact variance of independent values counts."""
    values = np.concatenate([np.array(values, dtype=np.float64) for values in strata])
    of = np.concatenate([np.full(len(values), number) for number, values in enumerate(strata)])
    return Side(values, of, numbers + np.arange(len(values)), np.zeros(len(values), dtype=np.int64))


@settings(max_examples=50, deadline=None)
@given(FEW_VALUES, FEW_VALUES)
def test_one_stratum_is_the_test_of_mann_and_whitney_ties_included(one: list[int], other: list[int]) -> None:
    strata = Strata(side([one]), side([other], 1000))
    expected = stats.mannwhitneyu(one, other, method="asymptotic", use_continuity=False)
    assert strata.superiority(0.0) == pytest.approx(expected.statistic / len(one) / len(other))
    if len(set(one + other)) > 1:
        assert 2 * stats.norm.sf(abs(strata.statistic(0.0)) / strata.error(0.0).size) == pytest.approx(
            expected.pvalue, abs=1e-9
        )


@settings(max_examples=40, deadline=None)
@given(some.lists(some.tuples(FEW_VALUES, FEW_VALUES), min_size=2, max_size=4))
def test_strata_are_added_up_as_van_elteren_says(strata: list[tuple[list[int], list[int]]]) -> None:
    found = Strata(side([one for one, _ in strata]), side([other for _, other in strata], 1000))
    statistic = variance = 0.0
    for one, other in strata:
        ranks = stats.rankdata(one + other)
        count, size = len(one), len(one) + len(other)
        statistic += (ranks[:count].sum() - count * (size + 1) / 2) / (size + 1)
        variance += count * len(other) / size * ranks.var(ddof=1) / (size + 1) ** 2
    assert found.statistic(0.0) == pytest.approx(statistic, abs=1e-9)
    assert found.error(0.0).size ** 2 == pytest.approx(variance, abs=1e-9)


def test_the_effect_is_the_median_of_all_ratios_where_there_is_one_stratum() -> None:
    generator = np.random.default_rng(1)
    one, other = generator.lognormal(7, 0.5, 80), generator.lognormal(7.1, 0.5, 90)
    groups = np.zeros(90, dtype=np.int64)
    found = compare(
        of_nobody(other, groups, np.linspace(0, 3599, 90)),
        of_nobody(one, groups[:80], np.linspace(0, 3599, 80)),
    )
    assert found is not None
    assert 1 + found.effect == pytest.approx(np.median(other[:, None] / one[None, :]), rel=2e-3)


def test_a_mix_that_shifts_is_no_change_of_any_page() -> None:
    """The later release is seen on slow phones far more often: every device is as fast as before."""
    generator = np.random.default_rng(2)
    views = []
    for share in (0.2, 0.8):
        is_phone = (generator.random(4000) < share).astype(np.int64)
        values = generator.lognormal(7 + is_phone, 0.4)
        views.append(of_nobody(values, is_phone, generator.uniform(0, 7 * 86_400, 4000)))
    before, after = views
    assert np.median(after.values) > 1.5 * np.median(before.values)
    found = compare(after, before)
    assert found is not None and found.low < 0 < found.high and abs(found.effect) < 0.05


def test_hours_that_one_release_has_not_seen_are_left_out() -> None:
    generator = np.random.default_rng(3)
    week, morning = generator.uniform(0, 7 * 86_400, 5000), generator.uniform(9 * 3600, 12 * 3600, 300)
    slow_nights = np.where(week % 86_400 < 6 * 3600, 5.0, 1.0)
    groups = np.zeros(5000, dtype=np.int64)
    before = of_nobody(slow_nights * generator.lognormal(7, 0.3, 5000), groups, week)
    found = compare(of_nobody(generator.lognormal(7, 0.3, 300), groups[:300], morning), before)
    assert found is not None and found.low < 0 < found.high
    assert found.before_count < 600


def test_hours_of_workdays_and_weekends_are_told_apart() -> None:
    # 1970 began on a Thursday.
    days = np.array([0, 1, 2, 3, 4]) * 86_400.0
    assert list(hours_of_week(days + 3600 * 5)) == [5, 5, 29, 29, 5]


def compared(world: World, number: int, shift: float = 0.0, count: int = 2000) -> Comparison | None:
    seen = traffic(np.random.default_rng(number), world, count)
    seen = replace(seen, logs=seen.logs + log1p(shift) * seen.is_after)
    views = Views(np.exp(seen.logs), seen.groups, seen.seconds, seen.users)
    return compare(views.where(seen.is_after), views.where(~seen.is_after))


def test_known_shifts_lie_within_their_intervals_where_users_view_ten_pages() -> None:
    """A few of the thousands that the laboratory tries."""
    inside = 0
    for number in range(12):
        found = compared(World(views_a_user=10, returning=0.0), number, 0.1)
        assert found is not None
        inside += found.low < 0.1 < found.high
        assert found.bounds.low <= found.low < found.effect < found.high <= found.bounds.high
        assert 300 < found.independent_count < 0.7 * found.after_count
    assert inside >= 10


def test_a_bot_counts_about_as_much_as_a_few_people() -> None:
    """Without it the interval is hardly narrower than with it, and it is named by its share."""
    alone = compared(World(views_a_user=3), 5)
    beside = compared(World(views_a_user=3, bots=1, bot_share=0.2), 5)
    assert alone is not None and beside is not None
    assert beside.high - beside.low < 2 * (alone.high - alone.low)
    assert beside.largest_share > 0.15 > 0.05 > alone.largest_share


def test_a_season_of_all_pages_makes_intervals_hardly_wider() -> None:
    widths = {}
    for season in (0.0, 0.4):
        found = [
            compared(World(views_a_user=3, season=season, hour_spread=0.0), number) for number in range(8)
        ]
        widths[season] = np.mean([one.high - one.low for one in found if one])
    assert widths[0.4] < 1.1 * widths[0.0]


def test_intervals_of_a_busy_site_are_as_wide_as_its_hours_differ() -> None:
    """Hours that differ make no user tell less."""
    alike, unlike = (
        compared(World(views_a_user=3, hour_spread=spread), 7, count=20_000) for spread in (0.0, 0.06)
    )
    assert alike is not None and unlike is not None
    assert unlike.high - unlike.low > 1.5 * (alike.high - alike.low)
    assert min(alike.freedom, unlike.freedom) > 1000


def test_a_constant_is_told_as_one_and_an_effect_lies_within_its_interval() -> None:
    generator = np.random.default_rng(6)
    seconds = generator.uniform(0, 14 * 86_400, 2000)
    users = generator.integers(1, 300, 2000).astype(np.uint64)
    is_after = seconds > 7 * 86_400
    groups = generator.integers(0, 4, 2000)
    for odd_share in (0.0, 0.01, 0.3):
        for size in (99_700, 149_700):
            values = np.where(is_after, size, 99_700) * np.where(generator.random(2000) < odd_share, 1.01, 1)
            views = Views(values, groups, seconds, users)
            found = compare(views.where(is_after), views.where(~is_after))
            assert found is not None and found.is_constant == (odd_share == 0)
            assert found.low <= found.effect <= found.high
            assert found.low - 1e-9 <= size / 99_700 - 1 <= found.high + 1e-9
            assert (found.low > 0) == (size > 99_700)


def test_too_few_views_are_not_compared() -> None:
    few = of_nobody(np.full(49, 100.0), np.zeros(49, dtype=np.int64), np.zeros(49))
    many = of_nobody(np.full(500, 100.0), np.zeros(500, dtype=np.int64), np.zeros(500))
    assert compare(few, many) is None and compare(many, few) is None


@each("is_ratio", [True, False])
@each(("before", "after"), [([99_700], [99_700]), ([99_700], [149_700]), ([8, 16], [8, 16])])
def test_an_effect_lies_within_its_interval_where_values_hardly_vary(
    before: list[int], after: list[int], is_ratio: bool
) -> None:
    seconds = np.arange(600, dtype=np.float64) * 600
    groups = np.zeros(600, dtype=np.int64)

    def views(values: list[int]) -> Views:
        return of_nobody(np.resize(np.array(values, dtype=np.float64), 600), groups, seconds)

    found = compare(views(after), views(before), is_ratio=is_ratio)
    assert found is not None
    assert found.low <= found.effect <= found.high


def test_the_medians_shown_are_of_the_views_that_are_compared() -> None:
    seconds = np.arange(600, dtype=np.float64) * 600
    groups = np.zeros(600, dtype=np.int64)
    # Most loads call no API.
    before = of_nobody(np.where(np.arange(600) % 3, 0.0, 200.0 + np.arange(600) % 7), groups, seconds)
    after = of_nobody(np.where(np.arange(600) % 3, 0.0, 300.0 + np.arange(600) % 7), groups, seconds)
    found = impact("", "api_ms", after, before, None)
    assert found is not None
    assert (found.before_p50, found.after_p50) == (203.0, 303.0)
    assert found.in_units(found.comparison.effect) == pytest.approx(100, rel=0.02)
