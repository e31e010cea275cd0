from datetime import UTC, datetime, timedelta
from itertools import takewhile
from random import Random

import pytest

from demo import story
from demo.arrivals import OPENING, Arrival, arrivals
from demo.stage import DEPLOYED_AFTER_S
from tests.cases import each

HOUR = timedelta(hours=1)


def of_hours(began: datetime, seed: int, hours: int) -> list[Arrival]:
    return [*takewhile(lambda each: each.at < began + hours * HOUR, arrivals(began, Random(seed)))]


@each("day", [25, 28], ids=["workday", "weekend"])
@each("hour", [3, 12, 18])
def test_each_live_hour_has_as_many_visits_as_the_weeks_before(day: int, hour: int) -> None:
    began = datetime(2026, 11, day, hour, tzinfo=UTC)
    found = [of_hours(began, seed, 3) for seed in range(400)]
    for number in range(3):
        begin = began + number * HOUR
        count = sum(begin <= each.at < begin + HOUR for visits in found for each in visits) / len(found)
        usual = story.visits_an_hour(begin)
        # At night the opening alone is more than an hour has.
        assert count == pytest.approx(max(usual, len(OPENING) + 1) if number == 0 else usual, rel=0.15)


def test_somebody_comes_at_once_and_somebody_buys_after_the_deployment() -> None:
    began = datetime(2026, 11, 25, 3, tzinfo=UTC)
    first, second, buyer, *_ = of_hours(began, 1, 24)
    assert first.at == began and second.at < began + timedelta(minutes=1)
    assert buyer.journey.__name__ == "buy"
    assert timedelta(seconds=DEPLOYED_AFTER_S) < buyer.at - began < timedelta(minutes=2)
