"""The progress of a mart's builds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.published import published


@dataclass(frozen=True, slots=True)
class Progress:
    """`complete_through` only skips raw rows: an earlier value is as safe. `as_of`: the last build.
    `waiting_days` lack late rows, which a later build counts."""

    complete_through: datetime = EPOCH
    as_of: datetime | None = None
    waiting_days: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """The build behind a result: its moment, None before the first one, and its published rows."""

    as_of: datetime | None
    rows: tuple[str, ...]


def last_build(warehouse: Warehouse, mart: str, *beside: str) -> Build:
    """The last build of a mart, and of others that the same result reads."""
    as_of = progress(warehouse, mart).as_of
    conditions = published(warehouse.rows, [f"errata_mart.{name}" for name in (mart, *beside)])
    return Build(as_of, tuple(conditions.values()))


def progress(warehouse: Warehouse, mart: str) -> Progress:
    return progress_of(warehouse, [mart])[mart]


def progress_of(warehouse: Warehouse, marts: Sequence[str]) -> dict[str, Progress]:
    """Of each mart, in one statement."""
    rows = warehouse.rows(sql.query("mart_progress"), {"marts": list(marts)})
    built = {
        row["mart"]: Progress(utc(row["complete_through"]), utc(row["as_of"]), tuple(row["waiting_days"]))
        for row in rows
    }
    return {mart: built.get(mart, Progress()) for mart in marts}
