"""The rate of lines of an organization, and the deliveries it has refused."""

import threading
from collections import Counter

from api.limits import SHOWN_AT
from api.rate_limit import RateLimit
from errata.errors import RateLimited
from errata.state.token_buckets import Limit, TokenBuckets

NAME = "lines"


class LineRate:
    """A minute's lines at most at once, refilled evenly; a node takes a second's ahead."""

    def __init__(self, buckets: TokenBuckets, lines_per_minute: int) -> None:
        self._limit = RateLimit(buckets, Limit(NAME, lines_per_minute, 60), share=lines_per_minute // 60)
        self._refused = Counter[int]()
        self._lock = threading.Lock()

    def take(self, organization_id: int, line_count: int) -> None:
        """Raises RateLimited, and takes nothing, if too few are left."""
        try:
            self._limit.take(str(organization_id), line_count)
        except RateLimited as refused:
            self.give_back(organization_id, 1)
            raise RateLimited(refused.retry_after_seconds, SHOWN_AT) from None

    def take_refused(self, organization_id: int) -> int:
        """The deliveries refused since they were last taken, to be recorded with the next one stored."""
        with self._lock:
            return self._refused.pop(organization_id, 0)

    def give_back(self, organization_id: int, refused_count: int) -> None:
        """Counts refused deliveries that are not recorded yet."""
        with self._lock:
            self._refused[organization_id] += refused_count
