"""What a folder of made data consists of: decided once, kept in it, the same at every restart."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Self

WEEKEND = 0.7


@dataclass(frozen=True, kw_only=True)
class KeptPlan:
    """`made_at`: when, in seconds since 1970; what is made ends there."""

    made_at: float

    @classmethod
    def kept(cls, folder: Path, made: Callable[[float], Self]) -> Self:
        """That of the folder, if it has one; else the one that is made at this moment."""
        path = folder / "plan.json"
        if path.exists():
            return cls(**json.loads(path.read_text()))
        plan = made(datetime.now(UTC).replace(second=0, microsecond=0).timestamp())
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(plan), indent=2))
        return plan

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.made_at, UTC)

    def shared_out(self, count: int, days_ago: Iterable[int]) -> Iterator[tuple[date, int, float]]:
        """Each of these days, how many of `count` it gets, and how much of it has passed."""
        today = self.now.date()
        passed = (self.now.hour * 3600 + self.now.minute * 60) / 86400
        shares = [(today - timedelta(days=ago), 1.0 if ago else max(passed, 1 / 1440)) for ago in days_ago]
        weights = [share * (WEEKEND if day.weekday() >= 5 else 1) for day, share in shares]
        for (day, share), weight in zip(shares, weights, strict=True):
            yield day, round(count * weight / sum(weights)), share
