"""Shifts: days on which the level of a metric shifted, as the pipelines found them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse


@dataclass(frozen=True, slots=True)
class Shift:
    """Levels are medians of the daily p75; `release` is the nearest; empty: none within three days."""

    environment: str
    page: str
    metric: str
    day: date
    level_before: float
    level_after: float
    change_ratio: float
    p_e_divisive: float
    p_mann_whitney: float
    p_mann_kendall: float
    vote_count: int
    release: str
    release_at: datetime | None


@dataclass(frozen=True, slots=True)
class Shifts:
    """`as_of`: None before the first build."""

    rows: Sequence[Shift]
    as_of: datetime | None


def shifts(
    warehouse: Warehouse,
    project_id: int,
    environment: str,
    metric: str = "",
    page: str = "",
    *,
    is_each_page: bool = False,
) -> Shifts:
    """Shifts, the latest first: of all pages together, of one page, or of each."""
    rows = warehouse.rows(
        sql.query("shifts"),
        {
            "project_id": project_id,
            "environment": environment,
            "metric": metric,
            "page": page,
            "is_each_page": is_each_page,
        },
    )
    return Shifts(
        [_change(row) for row in rows if row["metric"]],
        max((utc(row["built_through"]) for row in rows), default=None),
    )


def _change(row: Row) -> Shift:
    release_at = utc(row["release_at"])
    return Shift(
        environment=row["environment"],
        page=row["page"],
        metric=row["metric"],
        day=row["day"],
        level_before=row["level_before"],
        level_after=row["level_after"],
        change_ratio=row["change_ratio"],
        p_e_divisive=row["p_e_divisive"],
        p_mann_whitney=row["p_mann_whitney"],
        p_mann_kendall=row["p_mann_kendall"],
        vote_count=row["vote_count"],
        release=row["release"],
        release_at=release_at if release_at > EPOCH else None,
    )
