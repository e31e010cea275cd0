"""Figures that are not up to date, because rows of a project could not be built."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.builds.set_aside import WHOLE
from errata.warehouse.client import Row, Warehouse


@dataclass(frozen=True, slots=True)
class SetAsideRow:
    """Windows of a mart set aside for one reason; the first and the last are None where the mart has none."""

    mart: str
    reason: str
    window_count: int
    first_window: datetime | None
    last_window: datetime | None
    since: datetime
    next_attempt_at: datetime
    attempt_count: int


def set_aside_of_projects(warehouse: Warehouse, projects: Sequence[int]) -> list[SetAsideRow]:
    """Those that wait longest first."""
    rows = warehouse.rows(sql.query("set_aside_of_projects"), {"projects": list(projects)})
    return [_set_aside(row) for row in rows]


def _set_aside(row: Row) -> SetAsideRow:
    windows = {
        name: None if utc(row[name]) == WHOLE else utc(row[name]) for name in ("first_window", "last_window")
    }
    moments = {name: utc(row[name]) for name in ("since", "next_attempt_at")}
    return SetAsideRow(**{**row, **windows, **moments})
