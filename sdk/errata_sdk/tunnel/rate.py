"""Token buckets: how many requests each address may still make."""

import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

# As long as a bucket takes to fill: a page sends most of what it has at once.
BURST_SECONDS = 10
_BUCKETS = 10_000


class Rates:
    def __init__(self, per_second: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._monotonic = monotonic
        self._burst = max(1.0, per_second * BURST_SECONDS)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, address: str) -> int:
        """0 if one more request is allowed now, else the seconds to wait until it is."""
        name = _network(address)
        with self._lock:
            now = self._monotonic()
            left, at = self._buckets.pop(name, (self._burst, now))
            left = min(self._burst, left + (now - at) * self._per_second)
            wait = 0 if left >= 1 else math.ceil((1 - left) / self._per_second)
            self._buckets[name] = (left if wait else left - 1, now)
            if len(self._buckets) > _BUCKETS:
                self._buckets.popitem(last=False)
        return wait


def _network(address: str) -> str:
    """Whoever has one address of IPv6 has a whole network of them."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address, 64), strict=False))
