"""Connections that wait for a slow response as long as the server answers pings."""

import socket
import time
from collections.abc import Callable
from typing import Any

from clickhouse_connect.driver.httputil import get_pool_manager
from urllib3 import HTTPConnectionPool, PoolManager
from urllib3.connection import HTTPConnection

# Idle connections kept to a server: two pages ask as many questions at once.
MOST_KEPT = 32


def patient_pool(is_alive: Callable[[], bool], longest_seconds: float) -> PoolManager:
    """A connection pool that calls `is_alive` after each read timeout, and gives up when it is False.

    Over plain HTTP only, as on one machine: over TLS the first timeout is final.
    """

    class Connection(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return PatientSocket.of(super()._new_conn(), is_alive, longest_seconds)

    class Pool(HTTPConnectionPool):
        ConnectionCls = Connection

    pools: PoolManager = get_pool_manager(maxsize=MOST_KEPT)
    pools.pool_classes_by_scheme = {**pools.pool_classes_by_scheme, "http": Pool}
    return pools


class PatientSocket(socket.socket):
    is_alive: Callable[[], bool]
    longest_seconds: float

    @classmethod
    def of(
        cls, opened: socket.socket, is_alive: Callable[[], bool], longest_seconds: float
    ) -> "PatientSocket":
        timeout = opened.gettimeout()
        same = cls(opened.family, opened.type, opened.proto, fileno=opened.detach())
        same.settimeout(timeout)
        same.is_alive, same.longest_seconds = is_alive, longest_seconds
        return same

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        began = time.monotonic()
        while True:
            try:
                return super().recv_into(buffer, nbytes, flags)
            except TimeoutError:
                if time.monotonic() - began >= self.longest_seconds or not self.is_alive():
                    raise
