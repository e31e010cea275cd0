"""The progress of a mart's builds."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.published import mark_read, projects_of, published

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Progress:
    """`complete_through` only skips raw rows: an earlier value is as safe. `through`: the last build, which
    may lack late rows of past days. `as_of`: all rows of all projects received before it are counted."""

    complete_through: datetime = EPOCH
    through: datetime | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class LastBuild:
    """What a result is counted from: all that its projects sent before `as_of`, and the published `rows` of
    builds `through` a moment. None if none of its marts is built."""

    as_of: datetime | None
    through: datetime | None
    rows: tuple[str, ...]


def last_build(warehouse: Warehouse, asked: Mapping[str, object], *marts: str) -> LastBuild:
    """The last builds of the marts that a result reads, for the projects and days of its parameters."""
    warehouse = warehouse.of(projects_of(asked))
    names = [f"errata_mart.{mart}" for mart in marts]
    mark_read(warehouse.address, names, asked)
    builds = published(warehouse, names).values()
    return LastBuild(
        min((moment for build in builds if (moment := build.as_of(asked))), default=None),
        min((build.through for build in builds if build.through), default=None),
        tuple(build.condition for build in builds),
    )


def once_a_build(
    warehouse: Warehouse,
    key: Hashable,
    asked: Mapping[str, object],
    marts: Sequence[str],
    compute: Callable[[Warehouse, LastBuild], Value],
) -> tuple[Value, LastBuild]:
    """What is computed from the last builds of these marts, of the key: ahead of readers, if they asked for
    it lately."""
    warehouse = warehouse.of(projects_of(asked))
    build = last_build(warehouse, asked, *marts)
    with warehouse.noted(
        key,
        lambda read: once_a_build(read, key, asked, marts, compute),
        [f"errata_mart.{mart}" for mart in marts],
    ):
        return warehouse.cached((key, build.rows), lambda: compute(warehouse, build)), build


def progress(warehouse: Warehouse, mart: str) -> Progress:
    return progress_of(warehouse, [mart])[mart]


def progress_of(warehouse: Warehouse, marts: Sequence[str]) -> dict[str, Progress]:
    """Of each mart, in one statement; of several shards, of that which is the furthest behind."""
    found = [_progress_of(shard, marts) for shard in warehouse.shards()]
    return {mart: min((of_shard[mart] for of_shard in found), key=_complete_through) for mart in marts}


def _progress_of(warehouse: Warehouse, marts: Sequence[str]) -> dict[str, Progress]:
    rows = warehouse.rows(sql.query("mart_progress"), {"marts": list(marts)})
    built = {
        row["mart"]: Progress(utc(row["complete_through"]), utc(row["through"]), utc(row["as_of"]))
        for row in rows
    }
    return {mart: built.get(mart, Progress()) for mart in marts}


def _complete_through(progress: Progress) -> datetime:
    return progress.complete_through
