"""Errors per session of two releases: as independent errors say, and wide where few users have them."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from errata.statistics.error_rates import Activity, ErrorRate, error_rate
from errata.statistics.interim_analyses import INTERIM_ANALYSES
from errata.statistics.verdict import Reason, Verdict
from tests.cases import each
from tests.errata.statistics.error_traffic import World, error_traffic

LAST = INTERIM_ANALYSES[-1]
WEEK_SPANS = 28


def activity(*sides: tuple[bool, int, list[int]]) -> Activity:
    """Of each side whether it is after, how many users have a session each, and the errors of the first
    users."""
    is_after, source, span, errors = [], [], [], []
    for after, users, counts in sides:
        is_after += [after] * users
        source += [user + 100_000 * after for user in range(users)]
        span += [user % WEEK_SPANS for user in range(users)]
        errors += counts + [0] * (users - len(counts))
    return Activity(
        np.array(is_after),
        np.array(source, dtype=np.uint64),
        np.ones(len(source), dtype=np.bool_),
        np.array(span, dtype=np.int64),
        np.ones(len(source)),
        np.array(errors, dtype=np.float64),
    )


def judged(*sides: tuple[bool, int, list[int]]) -> ErrorRate:
    found = error_rate(activity(*sides), LAST)
    assert found is not None
    return found


def test_independent_errors_have_the_interval_of_two_counts() -> None:
    """The usual one: log ratio ± 1.96 √(1/180 + 1/100)."""
    found = judged((True, 20_000, [1] * 180), (False, 20_000, [1] * 100))
    assert found.ratio == pytest.approx(1.8, rel=0.03)
    assert (found.low, found.high) == pytest.approx((1.8 * 0.783, 1.8 * 1.277), rel=0.05)
    assert (found.after_rate, found.before_rate) == (0.009, 0.005)
    assert (found.verdict, found.reason) == (Verdict.WORSE, Reason.NONE)
    assert found.independent_errors == pytest.approx(180, rel=0.1)


def test_fewer_errors_are_better_and_as_many_no_change() -> None:
    assert judged((True, 20_000, [1] * 100), (False, 20_000, [1] * 180)).verdict == Verdict.BETTER
    many = [1] * 4000
    assert judged((True, 200_000, many), (False, 200_000, many)).verdict == Verdict.NO_CHANGE


def test_errors_after_none_are_worse_if_enough_users_have_them() -> None:
    found = judged((True, 2000, [1] * 60), (False, 2000, []))
    assert found.verdict == Verdict.WORSE and found.low > 4
    few = judged((True, 2000, [15] * 4), (False, 2000, []))
    assert (few.verdict, few.reason) == (Verdict.NOT_ENOUGH_DATA, Reason.ONE_USER)


@each("loop", [1, 300, 100_000])
def test_a_crash_loop_makes_no_release_worse_and_hides_no_other_change(loop: int) -> None:
    alone = judged((True, 2000, [loop] + [1] * 60), (False, 2000, [1] * 60))
    assert alone.ratio == pytest.approx(61 / 60, rel=0.01) and alone.verdict == Verdict.NOT_ENOUGH_DATA
    assert judged((True, 2000, [loop] + [1] * 119), (False, 2000, [1] * 60)).verdict == Verdict.WORSE


@each("world", [World(loop_share=0.01), World(noisy_errors=1000)], ids=["loops", "noisy"])
def test_a_doubling_is_found_beside_crash_loops_and_a_new_noisy_user(world: World) -> None:
    found = []
    for number in range(6):
        seen = error_traffic(np.random.default_rng([78, number]), world)
        until = LAST.after / timedelta(seconds=1)
        for one in (seen, seen.doubled()):
            rate = error_rate(one.until(until), LAST)
            assert rate is not None
            found.append(rate.verdict)
    assert set(found[1::2]) == {Verdict.WORSE} and Verdict.WORSE not in found[::2]


def test_errors_of_unknown_visitors_count_one_by_one() -> None:
    """One kind of client is many visitors."""
    of_clients = activity((True, 2000, [30] * 40), (False, 2000, [15] * 40))
    unknown = replace(of_clients, is_known=np.zeros_like(of_clients.is_known))
    found = error_rate(unknown, LAST)
    assert found is not None and found.ratio == pytest.approx(2, rel=0.01)


def test_a_release_seen_at_night_is_compared_with_nights() -> None:
    """Nights have three times the errors; the release has nothing else."""
    night = activity((True, 1000, [1] * 90), (False, 1000, [1] * 90))
    night = replace(night, span=np.zeros_like(night.span))
    day = activity((False, 4000, [1] * 120))
    day = replace(day, span=np.ones_like(day.span), source=day.source + np.uint64(500_000))
    both = Activity(*(np.concatenate((getattr(night, name), getattr(day, name))) for name in NAMES))
    found = error_rate(both, LAST)
    assert found is not None
    assert found.before_exposures == 1000 and found.ratio == pytest.approx(1)


NAMES = ("is_after", "source", "is_known", "span", "exposures", "errors")


def test_nothing_is_said_without_sessions_errors_or_an_analysis() -> None:
    assert error_rate(activity((True, 40, [1] * 9), (False, 400, [1] * 9)), LAST) is None
    assert error_rate(activity((True, 400, []), (False, 400, [])), LAST) is None
    found = error_rate(activity((True, 2000, [1] * 90), (False, 2000, [])), None)
    assert found is not None and found.verdict == Verdict.NOT_ENOUGH_DATA


@pytest.mark.slow
@each(
    "world",
    [
        World(prone_share=0.03),
        World(loop_share=0.01),
        World(pareto=1.5),
        World(job_failures=1.0),
        World(season=0.8),
    ],
    ids=["error-prone users", "crash loops", "heavy users", "a failing job", "season"],
)
def test_releases_of_one_rate_are_seldom_called_worse_or_better(world: World) -> None:
    wrong = 0
    for number in range(20):
        seen = error_traffic(np.random.default_rng([77, number]), world)
        looks = [
            error_rate(seen.until(analysis.after / timedelta(seconds=1)), analysis)
            for analysis in INTERIM_ANALYSES
        ]
        wrong += any(one is not None and one.verdict in (Verdict.WORSE, Verdict.BETTER) for one in looks)
    # Of 20 at 5% each: more than 4 is one case in 400.
    assert wrong <= 4
