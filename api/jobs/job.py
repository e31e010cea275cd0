"""A job that the scheduler runs again and again."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

EVERY_SECONDS = 30.0
# After a node was killed, its jobs stay held for this long.
HELD_ROUNDS = 2
SHORTEST_HOLD_SECONDS = 20.0


class Run(Protocol):
    """One run of a job."""

    def goes_on(self) -> bool:
        """False when the node stops or another has taken the job over. Long work calls it repeatedly."""

    def wake(self, name: str) -> None:
        """Lets another job of this node run at once."""


@dataclass(frozen=True)
class Job:
    """`work` must be safe to run on two nodes at once: a hold can be lost in the middle of a run."""

    name: str
    work: Callable[[Run], None]
    every_seconds: float = EVERY_SECONDS

    @property
    def hold_seconds(self) -> float:
        return max(HELD_ROUNDS * self.every_seconds, SHORTEST_HOLD_SECONDS)


class HeldRun:
    """The run of a node that holds the job."""

    def __init__(
        self,
        renew: Callable[[], bool],
        seconds: float,
        is_stopping: Callable[[], bool],
        wake: Callable[[str], None],
    ) -> None:
        self._renew = renew
        self._is_stopping = is_stopping
        self._renew_after_seconds = seconds / 3
        self._wake = wake
        self._renewed_at = time.monotonic()

    def goes_on(self) -> bool:
        if self._is_stopping():
            return False
        if time.monotonic() - self._renewed_at < self._renew_after_seconds:
            return True
        self._renewed_at = time.monotonic()
        return self._renew()

    def wake(self, name: str) -> None:
        self._wake(name)
