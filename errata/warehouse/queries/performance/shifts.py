"""Shifts: steps and drifts of the level of a metric, as the pipelines found them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.typed_rows import typed

Kind = Literal["step", "drift"]


@dataclass(frozen=True, slots=True)
class Shift:
    """A step, or a drift with its `slope` a week.

    The day of a step lies within `first_day` to `last_day` (95%); a drift lasts from the first to the last.
    `release` is the nearest within the interval; empty: none. Shifts of one `finding` moved together.
    """

    environment: str
    page: str
    metric: str
    kind: Kind
    day: date
    first_day: date
    last_day: date
    level_before: float
    level_after: float
    change_ratio: float
    slope: float
    p_value: float
    went_away_on: date | None
    finding: int
    moved_together: int
    release: str
    release_at: datetime | None

    @property
    def went_away(self) -> bool:
        return self.went_away_on is not None


@dataclass(frozen=True, slots=True)
class Shifts:
    """`as_of`: every load received before it is counted; None before the first build."""

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
    as_of = utc(rows[0]["counted_through"]) if rows else None
    return Shifts([typed(Shift, row) for row in rows if row["metric"]], as_of)


def one_of_each_finding(found: Sequence[Shift]) -> list[Shift]:
    """The first shift of each finding, in the same order."""
    first: dict[int, Shift] = {}
    for shift in found:
        first.setdefault(shift.finding, shift)
    return list(first.values())
