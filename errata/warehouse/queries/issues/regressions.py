"""The resolved issues that occurred again: three light questions, the last two only where they matter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

Positions = Mapping[tuple[int, str], int]
# What a release beyond the bound of its day is stored as has no place among releases.
UNKNOWN = ("", "(other)")


@dataclass(frozen=True)
class Regression:
    """A resolved issue that occurred again; `release` is that of the latest such event, empty: none."""

    project_id: int
    issue_id: int
    action_id: UUID
    release: str
    last_occurred_at: datetime


def regressions_of_projects(warehouse: Warehouse, projects: Sequence[int]) -> list[Regression]:
    """Those that are not marked yet, against what each was resolved in."""
    rows = warehouse.rows(sql.query("sightings_of_resolved_issues"), {"projects": list(projects)})
    positions = _positions(warehouse, rows)
    against = sorted((row for row in rows if _speaks_against(row, positions)), key=_place)
    return [_regression(list(seen)) for _resolution, seen in groupby(against, key=_resolution)]


def _positions(warehouse: Warehouse, rows: Sequence[Row]) -> Positions:
    projects = sorted({row["project_id"] for row in rows if not _is_by_time_alone(row)})
    if not projects:
        return {}
    found = warehouse.rows(sql.query("places_of_releases"), {"projects": projects})
    return {(row["project_id"], row["release"]): row["position"] for row in found}


def _speaks_against(row: Row, positions: Positions) -> bool:
    """Seen in the release it was resolved in or a later one; in any where no release is known."""
    if _is_by_time_alone(row):
        return True
    seen, resolved = (positions.get((row["project_id"], row[name]), 0) for name in ("seen_in", "resolved_in"))
    return seen > resolved or (seen == resolved and row["resolution"] != "next")


def _is_by_time_alone(row: Row) -> bool:
    return row["resolved_in"] in UNKNOWN or row["seen_in"] in UNKNOWN


def _resolution(row: Row) -> tuple[int, int, UUID]:
    return row["project_id"], row["issue_id"], row["action_id"]


def _place(row: Row) -> tuple[tuple[int, int, UUID], datetime]:
    return _resolution(row), row["last_occurred_at"]


def _regression(seen: Sequence[Row]) -> Regression:
    latest = seen[-1]
    return Regression(*_resolution(latest), latest["seen_in"], utc(latest["last_occurred_at"]))
