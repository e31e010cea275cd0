"""Whether a replica is ready: one that takes no rows, lacks many or has another clock is passed over."""

import time
from collections.abc import Callable
from threading import Lock
from urllib.parse import urlencode

from errata.warehouse import sql
from errata.warehouse.logins import Login
from errata.warehouse.presence import answer_of

LOOK_EVERY_SECONDS = 1.0


class Readiness:
    """Thread-safe. Whoever asks looks, at most once a second and one at a time; others get what was seen
    last."""

    def __init__(self, look: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._clock = clock
        self._is_ready = True
        self._looked_at = float("-inf")
        self._looking = Lock()

    def is_ready(self) -> bool:
        if self._clock() - self._looked_at >= LOOK_EVERY_SECONDS and self._looking.acquire(blocking=False):
            try:
                self._is_ready = self._look()
                self._looked_at = self._clock()
            finally:
                self._looking.release()
        return self._is_ready

    def lost(self) -> None:
        """Called after the server took no rows."""
        self._is_ready = False
        self._looked_at = self._clock()


def is_ready(url: str) -> bool:
    """True if the replica at this address is up to date, takes rows and has about the clock of this
    process. One without the tables of this version is not ready."""
    login = Login.of(url)
    now = urlencode({"param_now_ms": round(time.time() * 1000)})
    headers = {"X-ClickHouse-User": login.name, "X-ClickHouse-Key": login.password}
    return answer_of(url, "POST", f"/?{now}", sql.query("ready"), headers) == b"1\n"
