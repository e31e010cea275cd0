"""Questions of one page, asked of the warehouse at the same time."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

# For a question that reads much: who waits for it has both cores of a small machine.
BOTH_CORES = {"max_threads": 2}

First = TypeVar("First")
Second = TypeVar("Second")
Third = TypeVar("Third")

# A question asked from inside the pool could wait for itself: only who answers a request asks here. The slow
# questions of one caller's pages, several of each, leave threads for those of others.
POOL = ThreadPoolExecutor(max_workers=48, thread_name_prefix="questions")


def _submitted(question: Callable[[], First]) -> Future[First]:
    """Asked as whoever asks: of the same builds."""
    return POOL.submit(copy_context().run, question)


def at_once(questions: Sequence[Callable[[], First]]) -> list[First]:
    others = [_submitted(question) for question in questions[1:]]
    return [questions[0](), *(other.result() for other in others)]


def asked(question: Callable[[], First]) -> Future[First]:
    """For more questions than three, of different kinds: their `result()` is taken later."""
    return _submitted(question)


def both(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
    other = _submitted(second)
    return first(), other.result()


def all_three(
    first: Callable[[], First], second: Callable[[], Second], third: Callable[[], Third]
) -> tuple[First, Second, Third]:
    others = _submitted(second), _submitted(third)
    return first(), others[0].result(), others[1].result()
