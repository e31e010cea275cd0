"""How long questions may take."""

import time
from collections.abc import Callable

from errata.errors import ErrataError
from errata.warehouse.client import QueryFailed

# Of the warehouse: out of time, of memory, of rows to answer with.
TOO_MUCH = (159, 241, 396)


class TooMuchToRead(ErrataError):
    """A question of history that cannot be had in time, or in memory."""

    code = "too_much_to_read"

    def __init__(self) -> None:
        super().__init__("There are too many events to look at: narrow the filter, or ask about fewer days.")


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


def is_too_much(error: QueryFailed) -> bool:
    return error.clickhouse_code in TOO_MUCH
