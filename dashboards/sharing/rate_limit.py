"""The rate of requests for share links from one address, so that no token can be guessed."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from errata.errors import RateLimited

PER_MINUTE = 60
MOST_ADDRESSES = 10_000


@dataclass
class RateLimit:
    """Counted in each process; the addresses seen least lately are forgotten."""

    per_minute: int = PER_MINUTE
    clock: Callable[[], float] = time.monotonic
    _seen: OrderedDict[str, tuple[float, int]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, address: str) -> None:
        """Raises RateLimited."""
        now = self.clock()
        with self._lock:
            began_at, count = self._seen.pop(address, (now, 0))
            if now - began_at >= 60:
                began_at, count = now, 0
            self._seen[address] = (began_at, count + 1)
            if len(self._seen) > MOST_ADDRESSES:
                self._seen.popitem(last=False)
        if count >= self.per_minute:
            raise RateLimited(max(1, round(60 - (now - began_at))))
