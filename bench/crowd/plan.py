"""What a crowd consists of: decided once, kept in its folder, the same at every restart."""

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Self

# Inside the retention of raw, so that nothing expires while it is made or measured.
DAYS = 88
ALWAYS_ALIVE = 1_000
MANY_VARIANTS = 400
"""So many variants has the second most frequent issue."""
WEEKEND = 0.7


@dataclass(frozen=True)
class Issue:
    """Happens from day `born` to day `gone`; its variants are numbered from `first_variant` on."""

    number: int
    first_variant: int
    variant_count: int
    born: int
    gone: int


@dataclass(frozen=True)
class Plan:
    event_count: int
    issue_count: int
    whole_count: int
    seed: int
    made_at: float

    @classmethod
    def of(cls, folder: Path, event_count: int, issue_count: int, whole_count: int, seed: int) -> Self:
        """That of the folder, if it has one."""
        path = folder / "plan.json"
        if path.exists():
            return cls(**json.loads(path.read_text()))
        now = datetime.now(UTC).replace(second=0, microsecond=0).timestamp()
        plan = cls(event_count, issue_count, whole_count, seed, now)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(plan), indent=2))
        return plan

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.made_at, UTC)

    def days(self) -> Iterator[tuple[date, int, float]]:
        """Each day of receipt, how many events it gets, and how much of it has passed."""
        today = self.now.date()
        shares = [(today - timedelta(days=ago), 1.0) for ago in range(DAYS, 0, -1)]
        passed = (self.now.hour * 3600 + self.now.minute * 60) / 86400
        shares.append((today, max(passed, 1 / 1440)))
        weights = [share * (WEEKEND if day.weekday() >= 5 else 1) for day, share in shares]
        for (day, share), weight in zip(shares, weights, strict=True):
            yield day, round(self.event_count * weight / sum(weights)), share

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
