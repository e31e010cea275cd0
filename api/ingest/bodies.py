"""How much of deliveries is held in memory until they are answered, by organization."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# As sent. Each host of a fleet delivers one body of a few hundred kB at a time.
HELD_MAX_BYTES = 64 << 20

Hold = Callable[[int], bool]
"""Takes room for so many bytes more; False: there is none."""


class Bodies:
    """Those of one event loop. A delivery beside which there is no other always has room."""

    def __init__(self, most_bytes: int = HELD_MAX_BYTES) -> None:
        self._most_bytes = most_bytes
        self._held: Counter[int] = Counter()

    @contextmanager
    def of(self, organization_id: int) -> Iterator[Hold]:
        """What a delivery takes within is given back behind it."""
        own = 0

        def hold(byte_count: int) -> bool:
            nonlocal own
            held = self._held[organization_id]
            if held > own and held + byte_count > self._most_bytes:
                return False
            self._held[organization_id] += byte_count
            own += byte_count
            return True

        try:
            yield hold
        finally:
            self._held[organization_id] -= own
            if not self._held[organization_id]:
                del self._held[organization_id]
