"""What projects used of their limits, by hour, and what was refused."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from errata.clock import utc
from errata.period import TimeRange
from errata.service_names import SEVERAL_SERVICES
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.typed_rows import typed

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
REFUSED_WITHIN = timedelta(minutes=15)
COUNTS = ("delivery_count", "accepted_count", "rejected_count", "byte_count")
Subject = TypeVar("Subject", bound=Hashable)


@dataclass(frozen=True)
class HourOfUse:
    """`busiest_minute`: the most lines received in one minute of the hour."""

    hour_start: datetime
    delivery_count: int
    accepted_count: int
    rejected_count: int
    byte_count: int
    busiest_minute: int


@dataclass(frozen=True, slots=True)
class Use:
    """Lines of a project or one of its services. `busiest_minute`: the most received in one minute.
    `byte_count`: of deliveries of the project or of this service alone."""

    accepted_count: int = 0
    rejected_count: int = 0
    byte_count: int = 0
    busiest_minute: int = 0


@dataclass(frozen=True)
class Usage:
    """Hours of all projects together, the current one last; use by project; and by project and service, where
    an empty service stands for keys without one."""

    hours: list[HourOfUse]
    by_project: Mapping[int, Use]
    by_service: Mapping[tuple[int, str], Use]


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
    """`item_type`: `line`, or `delivery` for those that were refused as a whole. `service`: empty for keys
    without one, and for limits of projects and the organization."""

    hour_start: datetime
    project_id: int
    service: str
    item_type: str
    reason: str
    refused_count: int
    last_refused_at: datetime
    hosts: Sequence[tuple[str, int, datetime]] = ()
    """Those that are known, each with its count and latest moment."""


@dataclass(frozen=True, slots=True)
class OutcomeUse:
    """Items, lines, values or deliveries of a project with one outcome, by number of the step. `item_type`:
    `line`, `delivery`, or that of items and of values in them."""

    project_id: int
    service: str
    item_type: str
    outcome: str
    reason: str
    counts: Counter[int]

    @property
    def item_count(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class LineUse:
    """Lines of a project, service and API key by number of the step, and their bytes."""

    project_id: int
    service: str
    api_key_prefix: str
    accepted: Counter[int]
    rejected: Counter[int]
    bytes: Counter[int]


def usage(warehouse: Warehouse, projects: Sequence[int], now: datetime, hours: int) -> Usage:
    """Deliveries that name no application key belong to no project."""
    first = _first_hour(now, hours)
    rows = _lines(warehouse, projects, first, first + hours * HOUR, MINUTE)
    counts: defaultdict[datetime, Counter[str]] = defaultdict(Counter)
    minutes = Counter[int]()
    for row in rows:
        hour = first + row["step_number"] // 60 * HOUR
        for name in COUNTS:
            counts[hour][name] += row[name]
        minutes[row["step_number"]] += row["accepted_count"] + row["rejected_count"]
    busiest: defaultdict[datetime, int] = defaultdict(int)
    for minute, line_count in minutes.items():
        hour = first + minute // 60 * HOUR
        busiest[hour] = max(busiest[hour], line_count)
    starts = (first + number * HOUR for number in range(hours))
    return Usage(
        [
            HourOfUse(start, **{name: counts[start][name] for name in COUNTS}, busiest_minute=busiest[start])
            for start in starts
        ],
        _uses((row["project_id"], row) for row in rows),
        _uses(
            ((row["project_id"], row["service"]), row) for row in rows if row["service"] != SEVERAL_SERVICES
        ),
    )


def line_use(
    warehouse: Warehouse, projects: Sequence[int], since: datetime, until: datetime, step: timedelta
) -> list[LineUse]:
    """Lines received from `since` on and before `until`, by steps that begin at `since`."""
    found: dict[tuple[int, str, str], LineUse] = {}
    for row in _lines(warehouse, projects, since, until, step):
        key = row["project_id"], row["service"], row["api_key_prefix"]
        use = found.setdefault(key, LineUse(*key, Counter(), Counter(), Counter()))
        for counts, name in (
            (use.accepted, "accepted_count"),
            (use.rejected, "rejected_count"),
            (use.bytes, "byte_count"),
        ):
            counts[row["step_number"]] += row[name]
    return list(found.values())


def outcome_use(
    warehouse: Warehouse, projects: Sequence[int], since: datetime, until: datetime, step: timedelta
) -> list[OutcomeUse]:
    """What was not stored as sent of data received in that time, by steps that begin at `since`."""
    found: dict[tuple[int, str, str, str, str], OutcomeUse] = {}
    parameters = _steps(projects, since, until, step)
    for row in warehouse.rows(sql.query("outcomes_over_time"), parameters):
        key = row["project_id"], row["service"], row["item_type"], row["outcome"], row["reason"]
        counts = found.setdefault(key, OutcomeUse(*key, Counter())).counts
        counts[row["step_number"]] += row["item_count"]
    return list(found.values())


def busiest_minutes(
    warehouse: Warehouse, projects: Sequence[int], since: datetime, until: datetime
) -> Mapping[int, list[int]]:
    """By project, the lines of the busiest minute of each UTC day with deliveries."""
    parameters = {"projects": list(projects), "since": since, "until": until}
    found: defaultdict[int, list[int]] = defaultdict(list)
    for row in warehouse.rows(sql.query("busiest_minutes"), parameters):
        found[row["project_id"]].append(row["line_count"])
    return found


def _lines(
    warehouse: Warehouse, projects: Sequence[int], since: datetime, until: datetime, step: timedelta
) -> list[Row]:
    return warehouse.rows(sql.query("lines_over_time"), _steps(projects, since, until, step))


def _steps(projects: Sequence[int], since: datetime, until: datetime, step: timedelta) -> dict[str, object]:
    seconds = round(step.total_seconds())
    return {"projects": list(projects), "since": since, "until": until, "step_seconds": seconds}


def _uses(rows: Iterable[tuple[Subject, Row]]) -> Mapping[Subject, Use]:
    counts: defaultdict[Subject, Counter[str]] = defaultdict(Counter)
    minutes: defaultdict[Subject, Counter[int]] = defaultdict(Counter)
    for subject, row in rows:
        for name in ("accepted_count", "rejected_count", "byte_count"):
            counts[subject][name] += row[name]
        for name in ("accepted_count", "rejected_count"):
            minutes[subject][row["step_number"]] += row[name]
    return {
        subject: Use(**counts[subject], busiest_minute=max(minutes[subject].values())) for subject in counts
    }


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
    """Newest hour first."""
    parameters = {"projects": list(projects), "since": _first_hour(now, hours)}
    return [
        typed(Refusal, row, hosts=[(host, count, utc(last_at)) for host, count, last_at in row["hosts"]])
        for row in warehouse.rows(sql.query("refusals_by_hour"), parameters)
    ]


def present_refusals(warehouse: Warehouse, projects: Sequence[int], now: datetime) -> list[Refusal]:
    """Those of the last minutes, with the hosts of these: shippers repeat a refused delivery within five."""
    since = now - REFUSED_WITHIN
    return [
        replace(one, hosts=[each for each in one.hosts if each[2] >= since])
        for one in refusals(warehouse, projects, now, 2)
        if one.last_refused_at >= since
    ]


def refusals_of_hosts(refused: Sequence[Refusal]) -> Mapping[str, Sequence[Refusal]]:
    """By the host that met them, as far as it is known; each counts what this one met."""
    found: defaultdict[str, list[Refusal]] = defaultdict(list)
    for one in refused:
        for host, count, last_at in one.hosts:
            found[host].append(replace(one, refused_count=count, last_refused_at=last_at, hosts=()))
    return found


def _first_hour(now: datetime, hours: int) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0) - (hours - 1) * HOUR
