"""The rows of marts that a statement reads: those of published versions.

A build writes its rows under versions of its own, and publishes them with one row in `errata_ops.builds` that
names every version of its mart that counts from then on. A reader fetches these versions first and reads no
others; a replaced version is dropped once no statement can be reading it any more.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime, timedelta
from functools import cache
from threading import Lock
from typing import Any, NamedTuple, Protocol

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.statement import known

NOTHING = "false"
FILTERS_SETTING = "additional_table_filters"

# Half of the ten minutes for which builds keep replaced versions (needed_versions.sql).
SNAPSHOT_SECONDS = 300

# Builds of one schedule that follow each other are at most so far apart.
ONE_SCHEDULE = timedelta(minutes=10)


class Asks(Protocol):
    """A client of the warehouse, or of one of its shards. `address` names the servers."""

    @property
    def address(self) -> str: ...

    @property
    def rows(self) -> "Fetch": ...


Fetch = Callable[[str, Mapping[str, Any]], Iterable[Mapping[str, Any]]]
Conditions = Mapping[str, str]
"""By table, the condition on rows that a statement reads."""


class Late(NamedTuple):
    """A project with rows that a build left to a later one: their last day, and when the first came."""

    project_id: int
    last_day: date
    since: datetime


class Build(NamedTuple):
    """The published rows of a mart: the condition for them, and what they lack of the rows received before
    `through`."""

    condition: str
    through: datetime | None
    late: Sequence[Late] = ()

    def as_of(self, asked: Mapping[str, Any]) -> datetime | None:
        """Every row received before this moment is counted, of the projects and days of a statement's
        parameters. None before the first build."""
        if self.through is None or not self.late:
            return self.through
        projects, first_day = projects_of(asked), _first_day(asked)
        lacking = (one.since for one in self.late if one.project_id in projects and one.last_day >= first_day)
        return min([self.through, *lacking])


NO_BUILD = Build(NOTHING, None)
Builds = Mapping[str, Build]
"""The last build of each mart that was built."""


def projects_of(asked: Mapping[str, Any]) -> Sequence[int]:
    """The projects of a statement's parameters."""
    given: Sequence[int] = asked.get("projects", [asked["project_id"]] if "project_id" in asked else [])
    return given


def _first_day(asked: Mapping[str, Any]) -> date:
    """The first day that a statement may read."""
    moments = (value for value in asked.values() if isinstance(value, date))
    days = (moment.date() if isinstance(moment, datetime) else moment for moment in moments)
    return min(days, default=date.min)


class Ages(NamedTuple):
    """The moments of the oldest and of the newest build among those that figures come from."""

    oldest: datetime
    newest: datetime

    @property
    def differ(self) -> bool:
        """Whether some figures lag behind others by more than builds of one schedule do."""
        return self.newest - self.oldest > ONE_SCHEDULE


@cache
def versioned_marts() -> frozenset[str]:
    """The marts with versions: those that models make, as `errata_mart.table`. Python-made marts have
    none."""
    return frozenset(file.name for file in sql.models())


def marts_of(statement: str) -> Sequence[str]:
    """The marts that a statement reads, through views too, as `errata_mart.table`."""
    return sorted(_tables(known(statement).inputs) & versioned_marts())


def reads_published_rows_alone(statement: str) -> bool:
    """True if the result depends on parameters and published versions alone. Such a file asks no clock."""
    tables = _tables(known(statement).inputs)
    return bool(tables) and tables <= versioned_marts()


@cache
def _tables(inputs: frozenset[str]) -> frozenset[str]:
    return frozenset(sql.tables_behind(inputs))


def condition(versions: Iterable[int | str]) -> str:
    """The condition for rows of these versions; of no versions, no row."""
    listed = ", ".join(map(str, versions))
    return f"version in ({listed})" if listed else NOTHING


def published(warehouse: Asks, marts: Sequence[str]) -> Mapping[str, Build]:
    """The last build of each mart, now or as of the snapshot."""
    snapshot = _SNAPSHOT.get()
    known = snapshot.builds(warehouse) if snapshot else _fetched(warehouse, marts)
    return {mart: known.get(mart, NO_BUILD) for mart in marts}


def counted_through(warehouse: Asks, marts: Sequence[str], asked: Mapping[str, Any]) -> datetime:
    """Every row received before this moment is counted in all of these marts, of the projects and days of
    these parameters; 1970 before their first builds."""
    return min(build.as_of(asked) or EPOCH for build in published(warehouse, marts).values())


def conditions(warehouse: Asks, marts: Sequence[str]) -> Conditions:
    """Conditions for the published rows of marts; no rows of a mart without a build."""
    return {mart: build.condition for mart, build in published(warehouse, marts).items()}


def all_published(warehouse: Asks) -> Builds:
    """The last builds of all marts: a page reads several, and asking for all costs hardly more than for
    one."""
    return _fetched(warehouse, sorted(versioned_marts()))


def is_asked_ahead() -> bool:
    """Whether the question at hand is asked ahead of readers."""
    snapshot = _SNAPSHOT.get()
    return snapshot is not None and snapshot.is_ahead


def mark_read(address: str, marts: Iterable[str], asked: Mapping[str, Any]) -> None:
    """Notes that figures of the snapshot, for these parameters, come from the last builds of these marts
    there."""
    if snapshot := _SNAPSHOT.get():
        snapshot.read.extend((address, mart, asked) for mart in marts)


def ages_read() -> Ages | None:
    """Of the marts that figures of the snapshot come from; None without a snapshot, or if none is built."""
    snapshot = _SNAPSHOT.get()
    return snapshot.ages_read() if snapshot else None


@contextmanager
def one_snapshot(snapshot: "Snapshot | None" = None) -> Iterator[None]:
    """Makes all statements within read the same builds, so that the figures of a page agree: those of the
    snapshot in use, else of the given one, else of one taken with the first question."""
    token = _SNAPSHOT.set(_SNAPSHOT.get() or snapshot or Snapshot())
    try:
        yield
    finally:
        _SNAPSHOT.reset(token)


class Snapshot:
    """The published versions at one moment, fetched with the first question. Thread-safe: a page asks several
    at once.

    Replaced versions are kept for a limited time: after `SNAPSHOT_SECONDS` the snapshot is renewed.
    `builds`: those already fetched, by the address of their servers. `is_ahead`: its questions are asked
    ahead of readers.
    """

    def __init__(self, builds: Mapping[str, Builds] | None = None, *, is_ahead: bool = False) -> None:
        self.is_ahead = is_ahead
        self.read: list[tuple[str, str, Mapping[str, Any]]] = []
        self._lock = Lock()
        self._known = dict(builds or {})
        self._taken_at = dict.fromkeys(self._known, time.monotonic())

    def builds(self, warehouse: Asks) -> Builds:
        address = warehouse.address
        with self._lock:
            now = time.monotonic()
            if now - self._taken_at.get(address, -SNAPSHOT_SECONDS - 1) > SNAPSHOT_SECONDS:
                self._known[address] = all_published(warehouse)
                self._taken_at[address] = now
            return self._known[address]

    def ages_read(self) -> Ages | None:
        builds = [
            self._known.get(address, {}).get(mart, NO_BUILD).as_of(asked)
            for address, mart, asked in list(self.read)
        ]
        moments = [as_of for as_of in builds if as_of is not None]
        return Ages(min(moments), max(moments)) if moments else None


_SNAPSHOT: ContextVar[Snapshot | None] = ContextVar("snapshot", default=None)


def _fetched(warehouse: Asks, marts: Sequence[str]) -> Builds:
    names = {mart.partition(".")[2]: mart for mart in marts}
    rows = warehouse.rows(sql.query("published_versions"), {"marts": list(names)}) if names else ()
    return {names[row["mart"]]: _build(row) for row in rows}


def _build(row: Mapping[str, Any]) -> Build:
    late = [Late(project_id, last_day, utc(since)) for project_id, last_day, since in row["late"]]
    return Build(condition(row["versions"]), utc(row["through"]), late)


def names_versions(mart: str) -> str:
    """The engine's expression that is true for a statement with a filter on this mart's rows."""
    return f"mapContains(getSetting('{FILTERS_SETTING}'), '{mart}')"


def table_filters(by_table: Conditions) -> dict[str, str]:
    """The setting that filters the rows of each table that a statement reads, in views too."""
    pairs = ", ".join(f"'{table}': '{held}'" for table, held in sorted(by_table.items()))
    return {FILTERS_SETTING: f"{{{pairs}}}"} if by_table else {}
