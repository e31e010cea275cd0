"""The id of the request that is being answered, for all that is logged meanwhile: in its task, in tasks that
it starts, and in threads that get its context."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Named:
    """A request whose id may be given later, by what is called within."""

    request_id: str = ""


ANSWERED: ContextVar[Named | None] = ContextVar("answered", default=None)


@contextmanager
def answering() -> Iterator[Named]:
    """Around all that is done for a request."""
    named = Named()
    before = ANSWERED.set(named)
    try:
        yield named
    finally:
        ANSWERED.reset(before)


def name_request(request_id: str) -> None:
    if (named := ANSWERED.get()) is not None:
        named.request_id = request_id


def current_request_id() -> str:
    """Empty outside of requests."""
    named = ANSWERED.get()
    return named.request_id if named is not None else ""
