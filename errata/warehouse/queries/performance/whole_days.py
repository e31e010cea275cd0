"""The figures of past days, as of the last build: the contents of weekly and release reports."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from errata.clock import utc
from errata.performance.filters import Filters
from errata.performance.metric import LOAD
from errata.period import Period
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.performance.page_views import (
    DAYS,
    PageRow,
    TrendRow,
    known_percentiles,
    page_row,
)
from errata.warehouse.queries.performance.unended import unended_of
from errata.warehouse.queries.progress import last_build

WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Days:
    """Days of one project; `until` is exclusive, empty texts mean all."""

    project_id: int
    since: date
    until: date
    environment: str = ""
    release: str = ""

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "projects": [self.project_id],
            "since": self.since,
            "until": self.until,
            "environment": self.environment,
            "release": self.release,
        }

    @property
    def filters(self) -> Filters:
        """The same for questions about any period."""
        since, until = (datetime.combine(day, time(), UTC) for day in (self.since, self.until))
        period = Period(f"{since.isoformat()}/{until.isoformat()}")
        # A period that is over ends where it ends, whatever clocks have dated ahead.
        return Filters([self.project_id], period, until + WEEK, self.environment, self.release)

    @property
    def before(self) -> "Days":
        """The same number of earlier days, of all releases: a release has none before itself."""
        length = self.until - self.since
        return Days(self.project_id, self.since - length, self.since, self.environment)


@dataclass(frozen=True, slots=True)
class LoadsOfDays:
    """`as_of`: the last build of these days, or what it lacks of them; None without page loads."""

    together: PageRow | None
    pages: list[PageRow]
    as_of: datetime | None


def loads_of_days(warehouse: Warehouse, days: Days) -> LoadsOfDays:
    """Page loads alone; the busiest page first."""
    rows = _metrics(warehouse, days, step_days=0)
    before = _by_page(_metrics(warehouse, days.before, step_days=0))
    found = {page: page_row(metrics, before.get(page, {})) for page, metrics in _by_page(rows).items()}
    together = found.pop("", None)
    built_through = [utc(row["built_through"]) for row in rows]
    counted_through = last_build(warehouse, days.parameters, DAYS).as_of
    return LoadsOfDays(
        together,
        sorted(found.values(), key=lambda row: (-row.view_count, row.page)),
        min(max(built_through), counted_through) if built_through and counted_through else None,
    )


def load_time_over(warehouse: Warehouse, days: Days, step_days: int) -> list[TrendRow]:
    """Load time of all pages together, by week (7) or day (1), the oldest first."""
    steps: dict[date, dict[str, Row]] = {}
    for row in _metrics(warehouse, days, step_days):
        steps.setdefault(row["step_start"], {})[row["metric"]] = row
    return [_load_time(start, metrics) for start, metrics in steps.items() if LOAD in metrics]


def _load_time(start: date, metrics: Mapping[str, Row]) -> TrendRow:
    row = metrics[LOAD]
    count, known = int(row["sample_count"]), known_percentiles(row)
    return TrendRow(start, count, count, *known, None, unended_of(metrics))


def _metrics(warehouse: Warehouse, days: Days, step_days: int) -> list[Row]:
    return warehouse.rows(sql.query("pages_of_days"), {**days.parameters, "step_days": step_days})


def _by_page(rows: Iterable[Row]) -> dict[str, dict[str, Row]]:
    """Metrics by page; all pages together have an empty name."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row["page_name"], {})[row["metric"]] = row
    return found
