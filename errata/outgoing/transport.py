"""HTTP over checked connections: one request, one connection, one deadline."""

import socket
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore2

from errata.outgoing.connection import Deadline, connect
from errata.outgoing.policy import Policy


class Network(httpcore2.NetworkBackend):
    """Where httpcore asks for a connection it gets one to an address that passed the policy."""

    def __init__(self, policy: Policy, deadline: Deadline) -> None:
        self._policy = policy
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        return Stream(connect(self._policy, host, port, self._deadline), self._deadline)


class Stream(httpcore2.NetworkStream):
    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._connection.settimeout(self._deadline.remaining())
        return self._connection.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        unsent = memoryview(buffer)
        while unsent:
            self._connection.settimeout(self._deadline.remaining())
            unsent = unsent[self._connection.send(unsent) :]

    def close(self) -> None:
        self._connection.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        self._connection.settimeout(self._deadline.remaining())
        try:
            secured = ssl_context.wrap_socket(self._connection, server_hostname=server_hostname)
        except BaseException:
            self.close()
            raise
        return Stream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        # A connection serves one request, so nobody need ask whether an idle one was closed.
        return False if info == "is_readable" else None


def pool(policy: Policy, deadline: Deadline, context: ssl.SSLContext) -> httpcore2.ConnectionPool:
    return httpcore2.ConnectionPool(
        ssl_context=context, max_keepalive_connections=0, network_backend=Network(policy, deadline)
    )
