"""The time limit for several questions."""

import time
from collections.abc import Callable

from errata.warehouse.client import NoAnswerInTime


class Budget:
    """A time limit that starts when the object is made."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends_at = clock() + seconds

    def left_seconds(self) -> int:
        """The time left for one more question. Raises NoAnswerInTime."""
        left = self._ends_at - self._clock()
        if left <= 0:
            raise NoAnswerInTime
        return max(1, round(left))
