"""What the issue list is asked for."""

from dataclasses import dataclass, field
from typing import Any

from errata.clock import EPOCH
from errata.warehouse.queries.moved_issues import Moment
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.search_meaning import Meaning

PERIODS = ("24h", "7d", "14d", "30d", "90d")


@dataclass(frozen=True)
class Asked:
    """What totals can answer. `environment` empty: all of them.

    `seen_since`: issues with events since are listed though they stand before the place after which a
    page begins.
    """

    project_id: int
    period: Period
    environment: str = ""
    release: str = ""
    meaning: Meaning = field(default_factory=Meaning.nothing)
    sort: str = "last_seen"
    seen_since: Moment | None = None
    after: tuple[int, int] | None = None
    limit: int = 50

    @property
    def is_by_totals(self) -> bool:
        """Else what issues are is known from a build, but what they count is not."""
        return self.is_of_standard_period and self.meaning.is_of_issues_alone and not self.release

    @property
    def is_of_standard_period(self) -> bool:
        return self.period.text in PERIODS

    @property
    def build(self) -> dict[str, Any]:
        """Whose version counts."""
        is_whole = not self.is_of_standard_period
        return {
            "project_id": self.project_id,
            "period": "all" if is_whole else self.period.text,
            "since": EPOCH if is_whole else self.period.since,
        }

    @property
    def scope(self) -> dict[str, Any]:
        return {
            "project_id": self.project_id,
            "period": self.period.text,
            "since": self.period.since,
            "environments": [self.environment] if self.environment else [],
        }
