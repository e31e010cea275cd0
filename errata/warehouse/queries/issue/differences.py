"""Features that an issue's sources have more, or less, often than those of other issues."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from errata.differences.dominance import SourceCount, SourceKind, dominant_source
from errata.differences.findings import Finding, Found, Verdict
from errata.differences.inflation import found_apart
from errata.differences.redundancy import DistinctFinding, Joint, Joints, Key
from errata.differences.traffic import (
    ENVIRONMENT,
    FEW_HOURS,
    LARGEST_CLIENTS,
    SHARE_OF_FEW_HOURS,
    TENANT_TAGS,
    Stratum,
    Traffic,
    Value,
)
from errata.period import TimeRange
from errata.warehouse import sql
from errata.warehouse.at_once import BOTH_CORES
from errata.warehouse.client import Row, Warehouse

# Events of the issue, and of the rest, that sources are taken from; a larger number is sampled.
MOST_EVENTS = 20_000
# Redundancy of findings needs fewer.
MOST_EVENTS_TO_TELL_APART = 4_000
# Events of the issue that its largest source is looked for in.
MOST_EVENTS_TO_COUNT = 200_000
# For a rest with more events, only some days are read, spread over the period.
MOST_READ = 1_000_000
FEWEST_SOURCES = 5
MOST_VALUES_A_TAG = 60


@dataclass(frozen=True)
class Differences:
    """`issue_events` and `rest_events` are of the whole period; sources may come from a sample."""

    verdict: Verdict
    findings: tuple[DistinctFinding, ...]
    tested_count: int
    interval_level: float
    issue_events: int
    rest_events: int
    issue_sources: int
    rest_sources: int
    environments: tuple[str, ...]
    platforms: tuple[str, ...]
    is_of_known: bool = True
    """Only events of known users or tenants were compared."""
    has_unknown: bool = False
    """Some events of the issue are of neither."""
    effective: tuple[float, float] = (0.0, 0.0)
    """As many independent sources of the issue, and of the rest, would tell as much."""
    dominant: SourceCount | None = None

    @property
    def sampled_from(self) -> int:
        """A side with this many events or more was sampled."""
        return MOST_EVENTS


def differences_of_issue(
    warehouse: Warehouse, project_id: int, issue_id: int, period: TimeRange, environment: str = ""
) -> Differences:
    sides = _sides(warehouse, project_id, issue_id, period.in_hours, environment)
    rows = warehouse.rows(
        sql.query("differences_of_issue"),
        {
            **sides.scope(MOST_EVENTS),
            "fewest_sources": FEWEST_SOURCES,
            "most_values": MOST_VALUES_A_TAG,
            "few_hours": FEW_HOURS,
            "share_of_few_hours": SHARE_OF_FEW_HOURS,
            "largest_clients": LARGEST_CLIENTS,
        },
        BOTH_CORES,
    )
    traffic = _traffic(rows, environment)
    result, distinct = found_apart(traffic, partial(_joints, warehouse, sides))
    return Differences(
        verdict=result.verdict,
        findings=tuple(distinct),
        tested_count=result.tested_count,
        interval_level=result.interval_level,
        issue_events=sides.issue_events,
        rest_events=sides.rest_events,
        issue_sources=result.sources[0],
        rest_sources=result.sources[1],
        environments=result.environments,
        platforms=tuple(sorted(sides.platforms)),
        is_of_known=result.is_of_known,
        has_unknown=result.has_unknown,
        effective=result.effective,
        dominant=_dominant(warehouse, sides, traffic),
    )


@dataclass(frozen=True)
class Sides:
    """The two sides of a comparison."""

    project_id: int
    environment: str
    since: datetime
    until: datetime
    variants: list[int]
    platforms: list[str]
    issue_events: int
    rest_events: int

    @property
    def day_step(self) -> int:
        """The step between days of the rest that are read; no weekday is read more often than another."""
        step = max(1, -(-self.rest_events // MOST_READ))
        return step + 1 if step % 7 == 0 else step

    @property
    def rest_days(self) -> list[date]:
        """Days of receipt to read; none: all. A period hardly longer than the step is read in full."""
        count = (self.until - self.since).days
        if not 1 < self.day_step <= count // 2:
            return []
        return [self.since.date() + timedelta(days=number) for number in range(0, count + 1, self.day_step)]

    def scope(self, most_events: int) -> dict[str, Any]:
        read = self.rest_events // self.day_step if self.rest_days else self.rest_events
        return {
            "project_id": self.project_id,
            "variants": self.variants,
            "platforms": self.platforms,
            "since": self.since,
            "until": self.until,
            "environments": [self.environment] if self.environment else [],
            "issue_step": self.issue_events // most_events + 1,
            "rest_days": self.rest_days,
            "rest_step": read // most_events + 1,
            "tenant_tags": list(TENANT_TAGS),
        }


def _sides(
    warehouse: Warehouse, project_id: int, issue_id: int, period: TimeRange, environment: str
) -> Sides:
    period = period.in_hours
    (row,) = warehouse.rows(
        sql.query("sides_of_comparison"),
        {
            "project_id": project_id,
            "issue_id": issue_id,
            "since": period.since,
            "until": period.until,
            "by_hour": period.by_hour,
            "environments": [environment] if environment else [],
        },
    )
    # Events of clocks that run ahead belong to the period too.
    until = min(period.until, period.now + timedelta(days=1))
    return Sides(project_id, environment, period.since, until, **row)


def _dominant(warehouse: Warehouse, sides: Sides, traffic: Traffic) -> SourceCount | None:
    scope = sides.scope(MOST_EVENTS_TO_COUNT)
    rows = warehouse.rows(
        sql.query("dominant_sources"),
        {
            name: scope[name]
            for name in ("project_id", "variants", "since", "until", "environments", "tenant_tags")
        }
        | {"event_step": scope["issue_step"]},
        BOTH_CORES,
    )
    largest = [SourceCount(**{**row, "kind": SourceKind(row["kind"])}) for row in rows]
    return dominant_source(largest, traffic)


def _traffic(rows: Sequence[Row], environment: str) -> Traffic:
    (total,) = (row for row in rows if not row["tag"])
    return Traffic(
        _counts(total),
        {(Stratum(*one), Stratum(*other)): (issue, rest) for one, other, issue, rest in total["products"]},
        [
            Value(row["tag"], row["value"], _counts(row))
            for row in rows
            if row["tag"] and not (environment and row["tag"] == ENVIRONMENT)
        ],
    )


def _counts(row: Row) -> dict[Stratum, tuple[int, int]]:
    return {Stratum(*stratum): (issue, rest) for stratum, issue, rest in row["counts"]}


def _joints(warehouse: Warehouse, sides: Sides, result: Found) -> Joints:
    findings = result.findings
    if len(findings) < 2:
        return {}, 0, 0
    rows = warehouse.rows(
        sql.query("joint_differences"),
        {
            **sides.scope(MOST_EVENTS_TO_TELL_APART),
            "is_of_known": result.is_of_known,
            "names": [finding.tag for finding in findings],
            "tag_values": [finding.value for finding in findings],
        },
        BOTH_CORES,
    )
    counts = {(row["first"], row["second"]): (row["issue_count"], row["rest_count"]) for row in rows}
    joints = {
        (_key(one), _key(other)): _joint(counts, place, place + further)
        for place, one in enumerate(findings)
        for further, other in enumerate(findings[place + 1 :], start=1)
    }
    issue_total, rest_total = counts.get((-1, -1), (0, 0))
    return joints, issue_total, rest_total


def _joint(counts: dict[tuple[int, int], tuple[int, int]], one: int, other: int) -> Joint:
    none = (0, 0)
    first, second = counts.get((one, one), none), counts.get((other, other), none)
    both = counts.get((one, other), none)
    return Joint((first[0], second[0], both[0]), (first[1], second[1], both[1]))


def _key(finding: Finding) -> Key:
    return finding.tag, finding.value
