"""Token buckets: how many items each application may still write."""

import math
from collections import OrderedDict
from collections.abc import Callable

# As long as a bucket takes to fill: a burst after a quiet time is what errors come in.
BURST_SECONDS = 10


class Rates:
    def __init__(self, per_second: int, monotonic: Callable[[], float], bucket_count: int = 1000) -> None:
        self.burst = per_second * BURST_SECONDS
        self._per_second = per_second
        self._monotonic = monotonic
        self._bucket_count = bucket_count
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, count: int) -> int:
        """0 if `count` more are allowed now, else the seconds to wait until they are."""
        now = self._monotonic()
        left, at = self._buckets.pop(name, (float(self.burst), now))
        left = min(self.burst, left + (now - at) * self._per_second)
        wait = 0 if count <= left else math.ceil((count - left) / self._per_second)
        self._buckets[name] = (left if wait else left - count, now)
        if len(self._buckets) > self._bucket_count:
            self._buckets.popitem(last=False)
        return wait
