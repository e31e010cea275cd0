"""The rows of marts that a statement reads: those of published versions.

A build writes its rows under versions of its own, and publishes them with one row in `errata_ops.builds` that
names every version of its mart that counts from then on. A reader fetches these versions first and reads no
others; a replaced version is dropped once no statement can be reading it any more.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from errata.warehouse import sql

NAMED = re.compile(r"\b(errata_\w+|system)\.(\w+)")
PAIR = re.compile(r"'([^']+)': '([^']*)'")
OF_THE_MOMENT = re.compile(r"\b(now|now64|today|yesterday|rand\w*)\s*\(")
NOTHING = "false"
FILTERS_SETTING = "additional_table_filters"

# Half of the ten minutes for which builds keep replaced versions (needed_versions.sql).
SNAPSHOT_SECONDS = 300

Fetch = Callable[[str, Mapping[str, Any]], Iterable[Mapping[str, Any]]]
Conditions = Mapping[str, str]
"""By table, the condition on rows that a statement reads."""


@cache
def versioned_marts() -> frozenset[str]:
    """The marts with versions: those that models make, as `errata_mart.table`. Python-made marts have
    none."""
    return frozenset(file.name for file in sql.models())


@lru_cache(maxsize=1024)
def marts_of(statement: str) -> tuple[str, ...]:
    """The marts that a statement reads, through views too, as `errata_mart.table`."""
    return tuple(sorted(_reads(statement).tables & versioned_marts()))


@lru_cache(maxsize=1024)
def reads_published_rows_alone(statement: str) -> bool:
    """True if the result depends on parameters and published versions alone."""
    reads = _reads(statement)
    return bool(reads.tables) and reads.tables <= versioned_marts() and not reads.depends_on_the_moment


@dataclass(frozen=True)
class _Reads:
    tables: frozenset[str]
    depends_on_the_moment: bool


def _reads(statement: str) -> _Reads:
    named = {".".join(name) for name in NAMED.findall(statement)}
    views = [_reads_of_view(name) for name in named if name.startswith("errata_read.")]
    tables = frozenset(name for name in named if not name.startswith("errata_read."))
    return _Reads(
        tables.union(*(view.tables for view in views)),
        bool(OF_THE_MOMENT.search(statement)) or any(view.depends_on_the_moment for view in views),
    )


@cache
def _reads_of_view(name: str) -> _Reads:
    path = sql.DIRECTORY / "views" / f"{name.partition('.')[2]}.sql"
    if not path.exists():
        return _Reads(frozenset({name}), False)
    return _reads(sql.parse(path).statements[0].partition("\nas\n")[2])


def condition(versions: Iterable[int | str]) -> str:
    """The condition for rows of these versions; of no versions, no row."""
    listed = ", ".join(map(str, versions))
    return f"version in ({listed})" if listed else NOTHING


def published(fetch: Fetch, marts: Sequence[str]) -> Conditions:
    """Conditions for the published rows of marts, now or as of the snapshot; no rows of a mart without a
    build. `fetch` answers a statement."""
    snapshot = _SNAPSHOT.get()
    return snapshot.conditions(fetch, marts) if snapshot else _fetched(fetch, marts)


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Makes all statements within read the same builds, so that the figures of a page agree."""
    token = _SNAPSHOT.set(_SNAPSHOT.get() or Snapshot())
    try:
        yield
    finally:
        _SNAPSHOT.reset(token)


class Snapshot:
    """The published versions at one moment, fetched with the first question. Thread-safe: a page asks several
    at once.

    Replaced versions are kept for a limited time: after `SNAPSHOT_SECONDS` the snapshot is renewed.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: Conditions = {}
        self._taken_at = 0.0

    def conditions(self, fetch: Fetch, marts: Sequence[str]) -> Conditions:
        with self._lock:
            if not self._known or time.monotonic() - self._taken_at > SNAPSHOT_SECONDS:
                self._taken_at = time.monotonic()
                # A page reads several marts, and asking for all costs hardly more than for one.
                self._known = _fetched(fetch, sorted(versioned_marts()))
            return {mart: self._known[mart] for mart in marts}


_SNAPSHOT: ContextVar[Snapshot | None] = ContextVar("snapshot", default=None)


def _fetched(fetch: Fetch, marts: Sequence[str]) -> Conditions:
    names = {mart.partition(".")[2]: mart for mart in marts}
    rows = fetch(sql.query("published_versions"), {"marts": list(names)}) if names else ()
    known = {names[row["mart"]]: condition(row["versions"]) for row in rows}
    return {mart: known.get(mart, NOTHING) for mart in marts}


def names_versions(mart: str) -> str:
    """The engine's expression that is true for a statement with a filter on this mart's rows."""
    return f"mapContains(getSetting('{FILTERS_SETTING}'), '{mart}')"


def table_filters(by_table: Conditions) -> dict[str, str]:
    """The setting that filters the rows of each table that a statement reads, in views too."""
    pairs = ", ".join(f"'{table}': '{held}'" for table, held in sorted(by_table.items()))
    return {FILTERS_SETTING: f"{{{pairs}}}"} if by_table else {}


def filters_in(settings: Mapping[str, Any]) -> dict[str, str]:
    """The conditions that `table_filters` wrote into the settings."""
    return dict(PAIR.findall(settings.get(FILTERS_SETTING, "")))
