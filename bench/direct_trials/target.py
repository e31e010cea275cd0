"""What a trial asks of a service, ours or another one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from bench.direct_trials.senders import Way

# After a kill, on a machine that others use, too.
STARTS_WITHIN_SECONDS = 180.0


class Target(Protocol):
    """`stored` has the copies of each number by way; `counted`: how many events its issues count, and how
    many different ones are stored."""

    @property
    def name(self) -> str: ...

    @property
    def parts(self) -> Sequence[str]:
        """What is killed in turn."""

    @property
    def directory(self) -> Path: ...

    @property
    def ways(self) -> Sequence[Way]: ...

    def hold_database(self, seconds: float) -> None:
        """Its database answers nothing for so long."""

    def break_writes(self, seconds: float) -> None:
        """The process that takes events can't make its files larger for so long."""

    def kill(self, part: str) -> None:
        """Returns once the service listens again."""

    def waiting(self) -> int | None:
        """How many events are stored; None while nobody can tell."""

    def stored(self) -> Mapping[str, Counter[int]]: ...

    def counted(self) -> tuple[int, int]: ...
