"""The rate limit of an organization: a bucket that fills over time."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from api.limits import SHOWN_AT
from errata.errors import RateLimited


@dataclass
class Bucket:
    left: float
    filled_at: float


@dataclass
class RateLimit:
    """Token bucket (RFC 2697's single bucket): a minute's lines at most at once, refilled evenly."""

    lines_per_minute: int
    clock: Callable[[], float] = time.monotonic
    _buckets: dict[int, Bucket] = field(default_factory=dict)
    _refused: dict[int, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, organization_id: int, line_count: int) -> None:
        """Takes tokens for the lines. Raises RateLimited, and takes nothing, if too few are left.

        A full bucket accepts any batch, so that one larger than a minute's lines is not refused for ever.
        """
        now = self.clock()
        per_second = self.lines_per_minute / 60
        with self._lock:
            bucket = self._buckets.setdefault(organization_id, Bucket(self.lines_per_minute, now))
            filled = bucket.left + (now - bucket.filled_at) * per_second
            bucket.left, bucket.filled_at = min(filled, self.lines_per_minute), now
            missing = min(line_count, self.lines_per_minute) - bucket.left
            if missing > 0:
                self._refused[organization_id] = self._refused.get(organization_id, 0) + 1
                raise RateLimited(max(1, math.ceil(missing / per_second)), SHOWN_AT)
            bucket.left -= line_count

    def take_refused(self, organization_id: int) -> int:
        """The deliveries refused since they were last taken, to be recorded with the next one stored."""
        with self._lock:
            return self._refused.pop(organization_id, 0)

    def give_back(self, organization_id: int, refused_count: int) -> None:
        """Counts refused deliveries again that were not recorded."""
        with self._lock:
            self._refused[organization_id] = self._refused.get(organization_id, 0) + refused_count
