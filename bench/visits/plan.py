"""What a folder of page views consists of: decided once, kept in it; more days only extend it."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Self

WEEKEND = 0.7


@dataclass(frozen=True)
class Plan:
    """`views` in `weeks` before the moment it was made; `resources`: what a view loads on average."""

    views: int
    weeks: int
    resources: float
    seed: int
    made_at: float

    @classmethod
    def of(cls, folder: Path, views: int, weeks: int, resources: float, seed: int) -> Self:
        """That of the folder, if it has one."""
        path = folder / "plan.json"
        if path.exists():
            return cls(**json.loads(path.read_text()))
        now = datetime.now(UTC).replace(second=0, microsecond=0).timestamp()
        plan = cls(views, weeks, resources, seed, now)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(plan), indent=2))
        return plan

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.made_at, UTC)

    def days(self) -> Iterator[tuple[date, int, float]]:
        """Each day, the newest first, how many views begin on it, and how much of it has passed.

        The newest first: a folder is of use before it is complete.
        """
        today = self.now.date()
        passed = (self.now.hour * 3600 + self.now.minute * 60) / 86400
        shares = [(today, max(passed, 1 / 1440))]
        shares += [(today - timedelta(days=ago), 1.0) for ago in range(1, self.weeks * 7 + 1)]
        weights = [share * (WEEKEND if day.weekday() >= 5 else 1) for day, share in shares]
        for (day, share), weight in zip(shares, weights, strict=True):
            yield day, round(self.views * weight / sum(weights)), share
