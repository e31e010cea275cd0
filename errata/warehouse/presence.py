"""Whether a warehouse is there: one that fell silent is not waited for by everybody who asks."""

import http.client
import time
from collections.abc import Callable
from threading import Lock
from urllib.parse import urlsplit

PROBE_SECONDS = 1.0
PROBE_AGAIN_SECONDS = 0.25


class Presence:
    """Thread-safe. Once `lost`, callers are refused at once, but for one who looks again now and then."""

    def __init__(self, probe: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._probe = probe
        self._clock = clock
        self._is_away = False
        self._probed_at = 0.0
        self._probing = Lock()

    def is_there(self) -> bool:
        """As far as it is known: True until somebody waited in vain."""
        if not self._is_away:
            return True
        if self._clock() - self._probed_at < PROBE_AGAIN_SECONDS or not self._probing.acquire(blocking=False):
            return False
        try:
            self._look()
        finally:
            self._probing.release()
        return not self._is_away

    def lost(self) -> bool:
        """To be told by whoever got no answer: whether the warehouse is away, or only that question was."""
        with self._probing:
            if not self._is_away:
                self._look()
            return self._is_away

    def _look(self) -> None:
        self._is_away = not self._probe()
        self._probed_at = self._clock()


def answers_ping(url: str) -> bool:
    """Asks for no more than a sign of life, over a connection of its own."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(
        parts.hostname or "127.0.0.1", parts.port or (8443 if secure else 8123), timeout=PROBE_SECONDS
    )
    try:
        connection.request("GET", "/ping")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
