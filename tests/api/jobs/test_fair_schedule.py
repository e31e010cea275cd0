"""One item that fails or takes long costs no other its turn."""

from collections.abc import Sequence

import pytest

from api.jobs.fair_schedule import Failed, ItemsFailed, Shares, asked_by_halves
from errata.warehouse.client import QueryFailed
from tests.api.jobs.conftest import OneTurn


class Seconds:
    """A clock that stands still but for what is added."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_item_that_fails_is_named_and_the_next_ones_are_looked_at() -> None:
    seen: list[int] = []

    def look(item: int) -> None:
        seen.append(item)
        if item == 2:
            raise RecursionError("deep")

    with pytest.raises(ItemsFailed, match="project 2 failed: RecursionError"):
        Shares().each(OneTurn(), [1, 2, 3], "project {}".format, look)
    assert seen == [1, 2, 3]


def test_who_takes_long_is_put_off_and_comes_last_in_the_next_round() -> None:
    clock = Seconds()
    shares = Shares(seconds=10, clock=clock)
    seen: list[str] = []

    def look(item: str) -> None:
        seen.append(item)
        clock.now += 6 if item[0] == "a" else 1

    items = ["a1", "a2", "a3", "b1", "c1"]
    shares.each(OneTurn(), items, lambda item: item[0], look)
    assert seen == ["a1", "a2", "b1", "c1"]
    seen.clear()
    shares.each(OneTurn(), ["a3", "a1", "b1", "c1"], lambda item: item[0], look)
    assert seen == ["b1", "c1", "a3", "a1"]


@pytest.mark.parametrize("bad", [set[int](), {4}, {1, 7}, set(range(8))], ids=["none", "one", "two", "all"])
def test_a_question_that_fails_for_some_is_answered_for_the_others(bad: set[int]) -> None:
    asked: list[int] = []

    def ask(projects: Sequence[int]) -> list[int]:
        asked.append(len(projects))
        if bad & set(projects):
            raise QueryFailed("too much", 241)
        return [project * 10 for project in projects]

    failed: Failed = []
    answers = asked_by_halves(range(8), ask, failed)
    assert answers == [project * 10 for project in range(8) if project not in bad]
    assert [name for name, _ in failed] == [f"project {project}" for project in sorted(bad)]
    assert len(asked) == 1 if not bad else len(asked) <= 15
