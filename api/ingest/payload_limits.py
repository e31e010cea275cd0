"""Payloads of one variant per minute: in a flood of one error, events keep their rows alone."""

import threading
from collections import Counter
from datetime import datetime

MINUTE_SECONDS = 60
# The outcome of an event that was stored without its payload.
PAYLOAD_LIMITED = "payload_limited"
NO_PAYLOAD = b"{}"


class PayloadLimits:
    """Payloads stored in the current minute. A node counts its own: over all nodes a minute may store as many
    times more. Thread-safe."""

    def __init__(self) -> None:
        self._minute = 0
        self._counts: Counter[tuple[int, int]] = Counter()
        self._lock = threading.Lock()

    def admits(self, project_id: int, variant_hash: int, most: int, received_at: datetime) -> bool:
        """Whether one more payload of the variant is stored, which then counts."""
        minute = int(received_at.timestamp()) // MINUTE_SECONDS
        with self._lock:
            if minute > self._minute:
                self._minute = minute
                self._counts.clear()
            self._counts[project_id, variant_hash] += 1
            return self._counts[project_id, variant_hash] <= most
