"""What projects used of their limits, by hour, and what was refused."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import utc
from errata.period import TimeRange
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class HourOfUse:
    """`busiest_minute`: the most lines received in one minute of the hour."""

    hour_start: datetime
    delivery_count: int
    accepted_count: int
    rejected_count: int
    busiest_minute: int


@dataclass(frozen=True)
class Usage:
    """Hours of all projects together, the current one last; and refused lines by project."""

    hours: list[HourOfUse]
    rejected_by_project: Mapping[int, int]


@dataclass(frozen=True)
class LineSources:
    """Accepted lines of a project by how they arrived. `period_count`: in log files of the period;
    `other_count`: in log files of other days; `repeated_count`: in repeated deliveries of the same batch;
    `direct_count`: in deliveries that name no log file."""

    period_count: int = 0
    other_count: int = 0
    repeated_count: int = 0
    direct_count: int = 0

    @property
    def accepted_count(self) -> int:
        return self.period_count + self.other_count + self.repeated_count + self.direct_count


@dataclass(frozen=True)
class Refusal:
    """`item_type`: `line`, or `delivery` for those that the rate limit turned away."""

    hour_start: datetime
    item_type: str
    reason: str
    refused_count: int


def usage(warehouse: Warehouse, projects: Sequence[int], now: datetime, hours: int) -> Usage:
    """Deliveries that name no application key belong to no project."""
    first = _first_hour(now, hours)
    rows = warehouse.rows(sql.query("lines_by_minute"), {"projects": list(projects), "since": first})
    counts: defaultdict[datetime, Counter[str]] = defaultdict(Counter)
    minutes, rejected = Counter[datetime](), Counter[int]()
    for row in rows:
        minute = utc(row["minute_start"])
        for name in ("delivery_count", "accepted_count", "rejected_count"):
            counts[minute.replace(minute=0)][name] += row[name]
        minutes[minute] += row["accepted_count"] + row["rejected_count"]
        rejected[row["project_id"]] += row["rejected_count"]
    busiest: defaultdict[datetime, int] = defaultdict(int)
    for minute, line_count in minutes.items():
        hour = minute.replace(minute=0)
        busiest[hour] = max(busiest[hour], line_count)
    starts = (first + number * HOUR for number in range(hours))
    return Usage(
        [
            HourOfUse(
                start,
                counts[start]["delivery_count"],
                counts[start]["accepted_count"],
                counts[start]["rejected_count"],
                busiest[start],
            )
            for start in starts
        ],
        rejected,
    )


def line_sources(
    warehouse: Warehouse, projects: Sequence[int], now: datetime, hours: int, files: TimeRange
) -> Mapping[int, LineSources]:
    """By project with deliveries, where the accepted lines of these hours came from; `files`: whole days of
    log files."""
    parameters = {
        "projects": list(projects),
        "since": _first_hour(now, hours),
        "files_since": files.since.date(),
        "files_until": files.until.date(),
    }
    return {
        row.pop("project_id"): LineSources(**row)
        for row in warehouse.rows(sql.query("lines_by_source"), parameters)
    }


def refusals(warehouse: Warehouse, projects: Sequence[int], now: datetime, hours: int) -> list[Refusal]:
    """The newest hour first."""
    parameters = {"projects": list(projects), "since": _first_hour(now, hours)}
    return [
        Refusal(utc(row["hour_start"]), row["item_type"], row["reason"], row["refused_count"])
        for row in warehouse.rows(sql.query("refusals_by_hour"), parameters)
    ]


def _first_hour(now: datetime, hours: int) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0) - (hours - 1) * HOUR
