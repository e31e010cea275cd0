"""Where a request came from: the activity log notes it with each entry that the request makes."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import IPv6Network, ip_address

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


def network_of(address: str) -> str:
    """Who counts as one client: an IPv4 address, or the /64 of an IPv6 address, which one host can use."""
    if not address or (parsed := ip_address(address)).version == 4:
        return address
    return str(IPv6Network((int(parsed), 64), strict=False))
