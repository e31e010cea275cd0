"""Where a request came from: the activity log notes it with each entry that the request makes."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LONGEST_ADDRESS = 64

_address: ContextVar[str] = ContextVar("address", default="")


@contextmanager
def request_from(address: str) -> Iterator[None]:
    """For the time of a request, also in the threads that work on it."""
    token = _address.set(address[:LONGEST_ADDRESS])
    try:
        yield
    finally:
        _address.reset(token)


def address() -> str:
    """The address of the request in progress; empty in background work."""
    return _address.get()
