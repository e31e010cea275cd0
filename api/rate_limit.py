"""A node's part of a limit that holds over all nodes: tokens taken ahead, and refusals remembered."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from errata.errors import RateLimited
from errata.state.token_buckets import Limit, TokenBuckets

# Of subjects; those used least lately are forgotten, and the store is asked again.
REMEMBERED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Refusal:
    """`count` tokens or more are not to be had before `until`."""

    count: int
    until: float


@dataclass
class RateLimit:
    """Takes `share` tokens ahead, so that the store is asked once in so many. What a node does not use stays
    with it: over all nodes, at most a share each is admitted too late or too early. Thread-safe."""

    buckets: TokenBuckets
    limit: Limit
    share: int = 0
    clock: Callable[[], float] = time.monotonic
    _ahead: OrderedDict[str, int] = field(default_factory=OrderedDict)
    _refusals: OrderedDict[str, Refusal] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, subject: str, count: int = 1) -> None:
        """Takes tokens. Raises RateLimited, and takes nothing, if too few are left."""
        ahead = self._taken_ahead(subject, count)
        if ahead >= count:
            self._keep(subject, ahead - count)
            return
        try:
            taken = self.buckets.take(self.limit, subject, count - ahead, self.share)
        except RateLimited as refused:
            self._keep(subject, ahead)
            self._remember(subject, Refusal(count, self.clock() + refused.retry_after_seconds))
            raise
        except BaseException:
            self._keep(subject, ahead)
            raise
        self._keep(subject, ahead + taken - count)

    def give_back(self, subject: str, count: int) -> None:
        """Returns tokens taken for something that another limit refused; they stay with the node."""
        self._keep(subject, count)

    def _taken_ahead(self, subject: str, count: int) -> int:
        """What the node has, and no other thread then uses. Raises RateLimited where a refusal is remembered:
        a flood of requests does not reach the store."""
        with self._lock:
            refusal = self._refusals.get(subject)
            if refusal is not None and count >= refusal.count:
                seconds = refusal.until - self.clock()
                if seconds > 0:
                    raise RateLimited(max(1, round(seconds)))
                del self._refusals[subject]
            return self._ahead.pop(subject, 0)

    def _keep(self, subject: str, count: int) -> None:
        if count <= 0:
            return
        with self._lock:
            self._ahead[subject] = self._ahead.get(subject, 0) + count
            if len(self._ahead) > REMEMBERED_MAX:
                self._ahead.popitem(last=False)

    def _remember(self, subject: str, refusal: Refusal) -> None:
        with self._lock:
            self._refusals[subject] = refusal
            if len(self._refusals) > REMEMBERED_MAX:
                self._refusals.popitem(last=False)
