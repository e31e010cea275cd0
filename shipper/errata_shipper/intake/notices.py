"""What the intake says of itself: a thousand refusals a second must not become a thousand lines."""

import logging
import threading
from collections.abc import Callable

EVERY_SECONDS = 60.0

log = logging.getLogger("errata_shipper")


class Notices:
    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._said_at: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def say(self, level: int, kind: str, message: str) -> None:
        """At most once a minute for each kind; the next time with the number of those left out."""
        with self._lock:
            now = self._monotonic()
            if now - self._said_at.get(kind, float("-inf")) < EVERY_SECONDS:
                self._unsaid[kind] = self._unsaid.get(kind, 0) + 1
                return
            self._said_at[kind] = now
            unsaid = self._unsaid.pop(kind, 0)
        log.log(level, "%s%s", message, f" ({unsaid} similar messages before)" if unsaid else "")
