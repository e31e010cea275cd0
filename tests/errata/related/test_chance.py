import pytest

from errata.related.chance import least_lift, least_likely
from tests.cases import each


@each(
    ("count", "expected", "at_least"),
    [
        # The lower limits of a Poisson mean at one in two thousand, by tables.
        (3, 1.0, 0.13),
        (10, 1.0, 2.6),
        (100, 1.0, 70.0),
        (100, 50.0, 1.4),
    ],
)
def test_the_lift_is_what_the_count_allows_at_least(count: int, expected: float, at_least: float) -> None:
    assert least_lift(count, expected) == pytest.approx(at_least, rel=0.25)


def test_more_of_the_same_says_more() -> None:
    lifts = [least_lift(3 * times, 1.0 * times) for times in (1, 3, 10, 100, 10_000)]
    assert lifts == sorted(lifts)
    assert lifts[-1] == pytest.approx(3, rel=0.03)


def test_nothing_at_all_is_no_lift() -> None:
    assert least_lift(0, 1.0) == 0
    assert least_lift(5, 0.0) == 0


def test_the_more_are_compared_the_less_likely_chance_has_to_be() -> None:
    assert [least_likely(count) for count in (0, 1, 100)] == [1 / 2000] * 3
    assert least_likely(10_000) == pytest.approx(0.05 / 10_000)
