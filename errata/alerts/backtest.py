"""What a rule would have fired for, by the same questions that the watch asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errata.alerts.evaluation import Question, named, sightings, spaced
from errata.state.alerts.rules import Found
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts import warehouse_now

DAYS = 90
FIRINGS_SHOWN = 200


@dataclass(frozen=True)
class Backtest:
    """`firings` are the latest; `by_day` counts all, from `since` on."""

    since: datetime
    until: datetime
    fired_count: int
    issue_count: int
    by_day: Sequence[tuple[datetime, int]]
    firings: Sequence[Found]

    @property
    def sentence(self) -> str:
        days = (self.until - self.since).days
        times = "once" if self.fired_count == 1 else f"{self.fired_count:,} times"
        if not self.fired_count:
            return f"In the last {days} days this would not have fired."
        about = "" if self.issue_count <= 1 else f", for {self.issue_count:,} issues"
        return f"In the last {days} days this would have fired {times}{about}."


def backtest(warehouse: Warehouse, question: Question, days: int = DAYS) -> Backtest:
    until = warehouse_now(warehouse)
    since = until - timedelta(days=min(days, DAYS))
    return backtest_between(warehouse, question, since, until)


def backtest_between(warehouse: Warehouse, question: Question, since: datetime, until: datetime) -> Backtest:
    fired = spaced(sightings(warehouse, question, since, until), question.cap)
    day = since.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    counts: dict[datetime, int] = {}
    while day < until:
        counts[day] = 0
        day += timedelta(days=1)
    for each in fired:
        counts[each.at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)] += 1
    latest = list(reversed(fired[-FIRINGS_SHOWN:]))
    return Backtest(
        since,
        until,
        len(fired),
        len({each.issue_id for each in fired}),
        sorted(counts.items()),
        named(warehouse, question.project_id, latest),
    )
