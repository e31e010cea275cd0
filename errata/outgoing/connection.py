"""A connection to the address that was checked: resolved once, so that no second answer leads elsewhere."""

import socket
import threading
import time
from dataclasses import dataclass, field

from errata.outgoing.errors import AddressRefused, NotReached
from errata.outgoing.policy import Policy

SHORTEST_WAIT_SECONDS = 0.001


@dataclass(frozen=True)
class Deadline:
    """Of the whole exchange: a server that sends a byte a second would outlast any timeout of a read."""

    host: str
    ends_at: float

    @classmethod
    def after(cls, seconds: float, host: str) -> "Deadline":
        return cls(host, time.monotonic() + seconds)

    def remaining(self) -> float:
        left = self.ends_at - time.monotonic()
        if left < SHORTEST_WAIT_SECONDS:
            raise NotReached(self.host, "timed out")
        return left


def connect(policy: Policy, host: str, port: int, deadline: Deadline) -> socket.socket:
    """To the first allowed address that answers. Raises AddressRefused or NotReached."""
    policy.require_sending(host)
    refused: AddressRefused | None = None
    failed: OSError | None = None
    for address in resolved(host, port, deadline):
        try:
            policy.check(host, address)
        except AddressRefused as error:
            refused = error
            continue
        try:
            return _connected(address, port, deadline)
        except OSError as error:
            failed = error
    if failed is not None:
        raise NotReached(host, _said(failed)) from failed
    raise refused or NotReached(host, "host name has no address")


def resolved(host: str, port: int, deadline: Deadline) -> list[str]:
    """Every address of a name, each once. The resolver knows no timeout, so it has a thread of its own."""
    lookup = _Lookup(host, port)
    thread = threading.Thread(target=lookup.run, name="resolve", daemon=True)
    thread.start()
    thread.join(deadline.remaining())
    if thread.is_alive():
        raise NotReached(host, "DNS lookup timed out")
    if lookup.failed is not None:
        raise NotReached(host, "unknown host name") from lookup.failed
    return lookup.addresses


@dataclass
class _Lookup:
    host: str
    port: int
    addresses: list[str] = field(default_factory=list)
    failed: Exception | None = None

    def run(self) -> None:
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            self.failed = error
            return
        # An address of a link carries the name of an interface behind a percent sign.
        self.addresses = list(dict.fromkeys(str(info[4][0]).partition("%")[0] for info in found))


def _connected(address: str, port: int, deadline: Deadline) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(deadline.remaining())
        connection.connect((address, port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connection.close()
        raise
    return connection


def _said(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "timed out"
    return (error.strerror or str(error)).lower()
