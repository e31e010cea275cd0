"""What was dropped, counted until the service is told."""

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from errata_sdk.fork import ForkAware

Discard = tuple[str, str]


class Discards(ForkAware):
    """Counts by category and reason."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: Counter[Discard] = Counter()
        # Reentrant, because a destructor or a signal handler may drop something meanwhile.
        self._lock = threading.RLock()

    def forked(self) -> None:
        """The parent tells its own."""
        self._lock = threading.RLock()
        self._counts = Counter()

    def __bool__(self) -> bool:
        return bool(self._counts)

    def add(self, category: str, reason: str, quantity: int) -> None:
        self.notice_fork()
        with self._lock:
            self._counts[category, reason] += quantity

    def take(self) -> Counter[Discard]:
        self.notice_fork()
        with self._lock:
            taken, self._counts = self._counts, Counter()
        return taken

    def put_back(self, counts: Counter[Discard]) -> None:
        with self._lock:
            self._counts.update(counts)


def report(counts: Mapping[Discard, int]) -> dict[str, Any]:
    """The payload of a client report."""
    events = [
        {"reason": reason, "category": category, "quantity": quantity}
        for (category, reason), quantity in counts.items()
    ]
    return {"timestamp": time.time(), "discarded_events": events}


def reported(payload: Any) -> Iterable[tuple[Discard, int]]:
    """The counts of a client report's payload, as far as it has any."""
    events = payload.get("discarded_events") if isinstance(payload, dict) else None
    for event in events if isinstance(events, list) else ():
        quantity = event.get("quantity") if isinstance(event, dict) else None
        if type(quantity) is int:
            yield (str(event.get("category")), str(event.get("reason"))), quantity
