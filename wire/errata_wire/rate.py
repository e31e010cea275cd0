"""Token buckets: how much each application or address may still send."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from errata_wire.limits import BURST_SECONDS


class Rates:
    """A bucket for each name, of `bucket_count` names; the one unused for longest is forgotten first."""

    def __init__(
        self, per_second: float, monotonic: Callable[[], float] = time.monotonic, *, bucket_count: int
    ) -> None:
        # A whole number where the rate is one, since sentences say it.
        self.burst = max(1, per_second * BURST_SECONDS)
        self._per_second = per_second
        self._monotonic = monotonic
        self._bucket_count = bucket_count
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str, count: int = 1) -> int:
        """0 if `count` more are allowed now, else the seconds to wait until they are."""
        with self._lock:
            now = self._monotonic()
            left, at = self._buckets.pop(name, (float(self.burst), now))
            left = min(self.burst, left + (now - at) * self._per_second)
            wait = 0 if count <= left else math.ceil((count - left) / self._per_second)
            self._buckets[name] = (left if wait else left - count, now)
            if len(self._buckets) > self._bucket_count:
                self._buckets.popitem(last=False)
        return wait
