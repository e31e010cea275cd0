"""What a crowd consists of."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Self

from bench.kept_plan import KeptPlan

# Inside the retention of raw, so that nothing expires while it is made or measured.
DAYS = 88
ALWAYS_ALIVE = 1_000
MANY_VARIANTS = 400
"""So many variants has the second most frequent issue."""


@dataclass(frozen=True)
class Issue:
    """Happens from day `born` to day `gone`; its variants are numbered from `first_variant` on."""

    number: int
    first_variant: int
    variant_count: int
    born: int
    gone: int


@dataclass(frozen=True, kw_only=True)
class Plan(KeptPlan):
    event_count: int
    issue_count: int
    whole_count: int
    seed: int

    @classmethod
    def of(cls, folder: Path, event_count: int, issue_count: int, whole_count: int, seed: int) -> Self:
        """That of the folder, if it has one."""
        return cls.kept(
            folder,
            lambda now: cls(
                event_count=event_count,
                issue_count=issue_count,
                whole_count=whole_count,
                seed=seed,
                made_at=now,
            ),
        )

    def days(self) -> Iterator[tuple[date, int, float]]:
        """Each day of receipt, how many events it gets, and how much of it has passed."""
        return self.shared_out(self.event_count, range(DAYS, -1, -1))

    def issues(self) -> Iterator[Issue]:
        chance = random.Random(self.seed)
        first = 0
        for number in range(self.issue_count):
            count = chance.randint(2, 6) if chance.random() < 0.08 else 1
            if number == 1:
                count = MANY_VARIANTS
            born, gone = 0, DAYS + 1
            if number >= ALWAYS_ALIVE:
                born = chance.randrange(DAYS) if chance.random() < 0.4 else 0
                gone = chance.randrange(born, DAYS) if chance.random() < 0.3 else DAYS + 1
            yield Issue(number, first, count, born, gone)
            first += count
