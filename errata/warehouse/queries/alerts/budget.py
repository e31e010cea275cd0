"""How long questions may take."""

import time
from collections.abc import Callable

from errata.warehouse.client import TooMuchToRead


class Budget:
    """From when it is made on."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends_at = clock() + seconds

    def left_seconds(self) -> int:
        """For one more question; raises TooMuchToRead."""
        left = self._ends_at - self._clock()
        if left <= 0:
            raise TooMuchToRead
        return max(1, round(left))
