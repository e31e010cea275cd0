"""How often one address may ask for what needs no sign-in: a share link's token is not to be guessed."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from errata.errors import RateLimited

A_MINUTE = 60
MOST_ADDRESSES = 10_000


@dataclass
class Visits:
    """In each minute so many, in each process; addresses that were not seen for long are forgotten."""

    a_minute: int = A_MINUTE
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
        if count >= self.a_minute:
            raise RateLimited(max(1, round(60 - (now - began_at))))
