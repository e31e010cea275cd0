"""What a folder of page views consists of: more days only extend it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Self

from bench.kept_plan import KeptPlan


@dataclass(frozen=True, kw_only=True)
class Plan(KeptPlan):
    """`views` in `weeks` before the moment it was made; `resources`: what a view loads on average."""

    views: int
    weeks: int
    resources: float
    seed: int

    @classmethod
    def of(cls, folder: Path, views: int, weeks: int, resources: float, seed: int) -> Self:
        """That of the folder, if it has one."""
        return cls.kept(
            folder,
            lambda now: cls(views=views, weeks=weeks, resources=resources, seed=seed, made_at=now),
        )

    def days(self) -> Iterator[tuple[date, int, float]]:
        """Each day, the newest first, how many views begin on it, and how much of it has passed.

        The newest first: a folder is of use before it is complete.
        """
        return self.shared_out(self.views, range(self.weeks * 7 + 1))
