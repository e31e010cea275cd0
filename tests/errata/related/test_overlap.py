"""What chance explains of the minutes that two issues share, and what not."""

from collections.abc import Iterable
from itertools import product
from math import prod

import numpy as np
import pytest

from errata.related.chance import FALSE_PAGES, least_likely
from errata.related.overlap import Occurrences, Overlap
from tests.cases import each

WEEK = 7 * 24 * 60
COMPARED = 40
FEW = (0, 700, 1500, 5000)
OUTAGES = [minute for begin in (0, 3000, 6000) for minute in range(begin, begin + 40)]


def overlap(own: Iterable[int], other: Iterable[int], last: int = WEEK, least_lift: float = 0.0) -> Overlap:
    return Occurrences(own, last).overlap(list(other), least_lift)


def is_related(found: Overlap, compared_count: int) -> bool:
    likely = least_likely(compared_count)
    return found.occurrence_count > 1 and found.lift >= 2 and found.probability <= likely


def test_a_few_minutes_all_shared_are_as_unlikely_as_each_of_them() -> None:
    found = overlap(FEW, FEW)
    assert (found.count, found.occurrence_count) == (4, 4)
    # The first has no half hour before it.
    assert found.expected == pytest.approx(1 / 31 + 3 / 61)
    assert found.probability == pytest.approx(1 / 31 / 61**3)


def test_the_tail_is_that_of_all_moves_counted_one_by_one() -> None:
    own, other, last = (0, 1, 40, 90), (1, 20, 41, 60, 89, 90, 120), 130
    starts = [((0, 1), range(31)), ((40,), range(-30, 31)), ((90,), range(-30, 31))]
    counts = [[len({m + move for m in minutes} & set(other)) for move in moves] for minutes, moves in starts]
    shared = len(set(own) & set(other))
    as_many = sum(sum(one) >= shared for one in product(*counts))
    found = overlap(own, other, last)
    assert (found.count, found.occurrence_count) == (2, 2)
    assert found.probability == pytest.approx(as_many / prod(map(len, counts)))
    assert found.expected == pytest.approx(sum(sum(one) / len(one) for one in counts))


@pytest.mark.parametrize(
    ("own", "other", "compared_count", "related"),
    [
        pytest.param(FEW, FEW, 5_000, True, id="four of four among thousands"),
        pytest.param(FEW[:3], FEW[:3], 5_000, True, id="three of three among thousands"),
        pytest.param(FEW[:3], FEW[:3], 10_000, False, id="three of three among too many"),
        pytest.param(FEW[:2], FEW[:2], 1, False, id="two of two"),
        pytest.param(FEW, [m + 1 for m in FEW], 1, False, id="never the same minute"),
        pytest.param(FEW, range(WEEK), 1, False, id="one that occurs always"),
        pytest.param(FEW, range(0, WEEK, 2), 1, False, id="one that occurs every other minute"),
        pytest.param(FEW, range(0, WEEK, 20), 100, True, id="one that occurs every twenty minutes"),
        pytest.param(range(100, 140), range(100, 140), 1, False, id="one burst"),
        pytest.param((0, *range(100, 130, 4)), range(100, 130, 4), 1, False, id="one burst with gaps"),
        pytest.param(OUTAGES, OUTAGES, 5_000, True, id="three outages"),
        pytest.param(OUTAGES, [m + 20 for m in OUTAGES], 1, False, id="half of each outage"),
    ],
)
def test_related_is_what_chance_does_not_explain(
    own: Iterable[int], other: Iterable[int], compared_count: int, related: bool
) -> None:
    assert is_related(overlap(own, other), compared_count) is related


def test_minutes_before_the_issue_and_after_its_time_do_not_count() -> None:
    assert overlap((100, 500, 900), (50, 100, 500, 900, 2000), 1000) == overlap(
        (100, 500, 900), (100, 500, 900), 1000
    )


def test_nothing_is_worked_out_below_the_least_lift() -> None:
    assert overlap(FEW, range(WEEK), least_lift=2).probability == 1
    assert overlap(FEW, (), least_lift=2) == Overlap(0, 0, 0.0, 1.0)


def chance_times(
    random: np.random.Generator, most: int, events: float, length: int, weights: np.ndarray
) -> list[int]:
    """Bursts of about `events` within `length` minutes each, begun whenever the weights have it."""
    begins = random.choice(WEEK, random.integers(2, most + 1), p=weights / weights.sum())
    bursts = [begin + random.integers(0, length, 1 + random.poisson(events)) for begin in begins]
    return sorted({int(minute) for minute in np.concatenate(bursts) if minute < WEEK})


@pytest.mark.parametrize(
    ("most", "events", "length"),
    [
        pytest.param(10, 0, 1, id="few single minutes"),
        pytest.param(200, 0, 1, id="many single minutes"),
        pytest.param(10, 8, 5, id="few dense bursts"),
        pytest.param(50, 8, 30, id="bursts with gaps"),
        pytest.param(30, 60, 120, id="long bursts"),
    ],
)
@pytest.mark.parametrize("by_day", [False, True], ids=["at any time", "in working hours"])
@pytest.mark.slow
def test_of_unrelated_issues_no_more_pages_show_any_than_are_promised(
    most: int, events: float, length: int, by_day: bool
) -> None:
    random, page_count = np.random.default_rng(20), 40
    hours = np.arange(WEEK) / 60 % 24
    weights = np.where((hours > 8) & (hours < 17), 1.0, 0.02 if by_day else 1.0)

    def is_wrong() -> bool:
        own = chance_times(random, most, events, length, weights)[-200:]
        occurrences = Occurrences(own, WEEK - 1)
        others = (chance_times(random, most, events, length, weights) for _ in range(COMPARED))
        return any(is_related(occurrences.overlap(other, 2.0), COMPARED) for other in others)

    assert sum(is_wrong() for _ in range(page_count)) <= page_count * FALSE_PAGES


@each("length", [20, 60, 120])
def test_unrelated_issues_of_one_hour_of_trouble_are_not_taken_for_related(length: int) -> None:
    random = np.random.default_rng(20)

    def minutes() -> set[int]:
        return {int(minute) for minute in 3000 + random.integers(0, length, 10)}

    found = [is_related(overlap(minutes(), minutes(), least_lift=2.0), COMPARED) for _ in range(2000)]
    assert sum(found) <= 2
