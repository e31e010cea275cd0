"""Whether a warehouse is there: a silent one is not waited for by every caller."""

import http.client
import socket
import time
from collections.abc import Callable, Mapping
from threading import Lock
from types import MappingProxyType
from urllib.parse import urlsplit

PROBE_SECONDS = 1.0
PROBE_AGAIN_SECONDS = 0.25
SETTLED_SECONDS = 10.0


class Presence:
    """The presence of one server. Thread-safe. Once `lost`, callers are refused at once, except for a probe
    every `again_seconds`."""

    def __init__(
        self,
        probe: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
        again_seconds: float = PROBE_AGAIN_SECONDS,
    ) -> None:
        self._probe = probe
        self._clock = clock
        self._again_seconds = again_seconds
        self._is_away = False
        self._probed_at = 0.0
        self._returned_at: float | None = None
        self._probing = Lock()

    def is_there(self) -> bool:
        """True until a caller waited in vain, and again after a successful probe."""
        if not self._is_away:
            return True
        if self._clock() - self._probed_at < self._again_seconds or not self._probing.acquire(blocking=False):
            return False
        try:
            self._update()
        finally:
            self._probing.release()
        return not self._is_away

    def is_settled(self) -> bool:
        """False within ten seconds of its return."""
        return self._returned_at is None or self._clock() - self._returned_at >= SETTLED_SECONDS

    def lost(self) -> bool:
        """Called after a statement without a response: True if the warehouse is away, False if only that
        statement failed."""
        with self._probing:
            if not self._is_away:
                self._update()
            return self._is_away

    def _update(self) -> None:
        was_away, self._is_away = self._is_away, not self._probe()
        self._probed_at = self._clock()
        if was_away and not self._is_away:
            self._returned_at = self._probed_at


def answers_ping(url: str) -> bool:
    """True if the warehouse answers a ping, over a connection of its own."""
    return answer_of(url, "GET", "/ping") is not None


def answer_of(
    url: str, method: str, path: str, body: str = "", headers: Mapping[str, str] = MappingProxyType({})
) -> bytes | None:
    """What the server answers within a second, over a connection of its own; None: nothing, or a refusal."""
    kind = http.client.HTTPSConnection if url.startswith("https:") else http.client.HTTPConnection
    connection = kind(*_place(url), timeout=PROBE_SECONDS)
    try:
        connection.request(method, path, body.encode(), dict(headers))
        answer = connection.getresponse()
        return answer.read() if answer.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def accepts_connections(url: str) -> bool:
    """True if a process listens at the warehouse's address, even one too busy to answer a ping."""
    try:
        socket.create_connection(_place(url), timeout=PROBE_SECONDS).close()
    except OSError:
        return False
    return True


def _place(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "127.0.0.1", parts.port or (8443 if parts.scheme == "https" else 8123)
