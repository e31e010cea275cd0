"""Questions of one page, asked of the warehouse at the same time."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

# For a question that reads much: its caller has both cores of a small machine.
BOTH_CORES = {"max_threads": 2}

First = TypeVar("First")
Second = TypeVar("Second")
Third = TypeVar("Third")

# A question asked from inside the pool could wait for itself: only threads that answer requests ask here. The
# slow questions of one caller's pages, several of each, leave threads for those of others.
POOL = ThreadPoolExecutor(max_workers=48, thread_name_prefix="questions")


PARTS_AT_A_TIME = 3


class Parts:
    """Parts of a page, each of which may ask several questions at once. They are begun in their order, a few
    at a time: the first are known early, and all as soon as if they shared the warehouse's cores."""

    def __init__(self) -> None:
        # Its own, so that no part waits for those of another page.
        self._pool = ThreadPoolExecutor(PARTS_AT_A_TIME, thread_name_prefix="parts")

    def ask(self, answer: Callable[[], First]) -> Future[First]:
        """Asks in the caller's context."""
        return self._pool.submit(copy_context().run, answer)


def submitted(question: Callable[[], First]) -> Future[First]:
    """Submits a question in the caller's context, so that it reads the same published versions."""
    return POOL.submit(copy_context().run, question)


def at_once(questions: Sequence[Callable[[], First]]) -> list[First]:
    others = [submitted(question) for question in questions[1:]]
    return [questions[0](), *(other.result() for other in others)]


def both(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
    other = submitted(second)
    return first(), other.result()


def all_three(
    first: Callable[[], First], second: Callable[[], Second], third: Callable[[], Third]
) -> tuple[First, Second, Third]:
    others = submitted(second), submitted(third)
    return first(), others[0].result(), others[1].result()
