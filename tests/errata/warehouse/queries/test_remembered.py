"""Answers that change with a build only."""

import time
from collections.abc import Callable
from threading import Event

import pytest

from errata.warehouse.client import WarehouseUnavailable
from errata.warehouse.queries import remembered
from errata.warehouse.queries.remembered import Remembered


@pytest.fixture(autouse=True)
def everything_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "SLOW_SECONDS", -1.0)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def told(value: int) -> Callable[[], int]:
    return lambda: value


def test_a_build_is_asked_once() -> None:
    answers = Remembered[int](most=2)
    assert [answers.answer("question", 1, told(value)) for value in (7, 8)] == [7, 7]


def test_nobody_waits_for_a_new_build_that_is_asked_meanwhile() -> None:
    answers, may_end = Remembered[int](most=2), Event()
    answers.answer("question", 1, lambda: 7)

    def ask() -> int:
        may_end.wait(5)
        return 8

    assert [answers.answer("question", 2, ask) for _ in range(2)] == [7, 7]
    may_end.set()
    until(lambda: answers.answer("question", 2, lambda: 9) == 8)


def test_what_is_quickly_asked_is_not_told_of_an_older_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "SLOW_SECONDS", 60.0)
    answers, of_the_moment = Remembered[int](most=2), Remembered[int](most=2, only_costly=True)
    assert [answers.answer("question", version, told(version)) for version in (1, 2)] == [1, 2]
    assert [of_the_moment.answer("question", 1, told(value)) for value in (7, 8)] == [7, 8]


def test_what_is_large_is_kept_however_quickly_it_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "SLOW_SECONDS", 60.0)
    answers = Remembered[int](most=2, only_costly=True, is_large=lambda value: value >= 100)
    assert [answers.answer("small", 1, told(value)) for value in (7, 8)] == [7, 8]
    assert [answers.answer("large", 1, told(value)) for value in (100, 101)] == [100, 100]


def test_an_old_answer_is_not_told_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Remembered[int](most=2)
    answers.answer("question", 1, lambda: 7)
    monkeypatch.setattr(remembered, "OLD_SECONDS", 0)
    assert answers.answer("question", 2, lambda: 8) == 8


def test_what_could_not_be_asked_is_asked_again() -> None:
    answers = Remembered[int](most=2)
    answers.answer("question", 1, lambda: 7)

    def fail() -> int:
        raise WarehouseUnavailable("127.0.0.1:1", "it is away")

    assert answers.answer("question", 2, fail) == 7
    until(lambda: answers.answer("question", 2, lambda: 8) == 8)


def test_the_questions_asked_last_are_kept() -> None:
    answers = Remembered[int](most=2)
    for question in (1, 2, 3):
        answers.answer(question, 1, lambda: 7)
    assert [answers.answer(question, 1, lambda: 8) for question in (3, 1)] == [7, 8]
