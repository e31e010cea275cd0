"""One item that fails or takes long holds up no other."""

import pytest

from api.jobs.failures import ItemsFailed
from api.jobs.fair_schedule import FairSchedule
from tests.api.jobs.conftest import EndlessRun


class Seconds:
    """A clock that stands still but for what is added."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_item_that_fails_is_named_and_the_next_ones_get_their_run() -> None:
    seen: list[int] = []

    def work(item: int) -> None:
        seen.append(item)
        if item == 2:
            raise RecursionError("deep")

    with pytest.raises(ItemsFailed, match="project 2 failed: RecursionError"):
        FairSchedule().each(EndlessRun(), [1, 2, 3], "project {}".format, work)
    assert seen == [1, 2, 3]


def test_an_owner_that_takes_long_is_deferred_and_comes_last_in_the_next_run() -> None:
    clock = Seconds()
    schedule = FairSchedule(seconds=10, clock=clock)
    seen: list[str] = []

    def work(item: str) -> None:
        seen.append(item)
        clock.now += 6 if item[0] == "a" else 1

    items = ["a1", "a2", "a3", "b1", "c1"]
    schedule.each(EndlessRun(), items, lambda item: item[0], work)
    assert seen == ["a1", "a2", "b1", "c1"]
    seen.clear()
    schedule.each(EndlessRun(), ["a3", "a1", "b1", "c1"], lambda item: item[0], work)
    assert seen == ["b1", "c1", "a3", "a1"]
