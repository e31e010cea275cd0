"""The progress of a mart's builds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.published import mark_read, published


@dataclass(frozen=True, slots=True)
class Progress:
    """`complete_through` only skips raw rows: an earlier value is as safe. `as_of`: the last build.
    `waiting_days` lack late rows, which a later build counts."""

    complete_through: datetime = EPOCH
    as_of: datetime | None = None
    waiting_days: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class LastBuild:
    """What a result is counted from: the moment of the oldest build, None if none of its marts is built, and
    the published rows."""

    as_of: datetime | None
    rows: tuple[str, ...]


def last_build(warehouse: Warehouse, *marts: str) -> LastBuild:
    """The last builds of the marts that a result reads."""
    names = [f"errata_mart.{mart}" for mart in marts]
    mark_read(names)
    builds = published(warehouse.rows, names).values()
    moments = [build.as_of for build in builds if build.as_of is not None]
    return LastBuild(min(moments, default=None), tuple(build.condition for build in builds))


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
