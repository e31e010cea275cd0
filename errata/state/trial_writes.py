"""Whether the state store takes writes: asked by anybody, tried now and then."""

import time
from collections.abc import Callable
from threading import Lock

from errata.state.errors import StateUnavailable

TRY_EVERY_SECONDS = 10.0
# Within the time of a check of /api/health.
WAIT_SECONDS = 2.5


class TrialWrites:
    """One at a time, however many ask."""

    def __init__(self, write: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._lock = Lock()
        self._tried_at: float | None = None
        self._failure: StateUnavailable | None = None

    def require(self) -> None:
        """Raises StateUnavailable if the last write failed, or the present one hangs."""
        if not self._lock.acquire(timeout=WAIT_SECONDS):
            raise StateUnavailable("an earlier write hasn't finished")
        try:
            if self._tried_at is None or self._clock() - self._tried_at >= TRY_EVERY_SECONDS:
                self._failure = self._tried()
                self._tried_at = self._clock()
        finally:
            self._lock.release()
        if self._failure is not None:
            # One error raised by many threads would grow with each.
            raise type(self._failure)(self._failure.reason)

    def _tried(self) -> StateUnavailable | None:
        try:
            self._write()
        except StateUnavailable as failure:
            return failure
        return None
