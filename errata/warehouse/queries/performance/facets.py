"""The values that filters of a project's performance pages offer."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from errata.warehouse.at_once import both
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.deletions import kept_events
from errata.warehouse.sql import query

KEPT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Facets:
    """Environments and countries by name; releases by the day last seen, the latest first."""

    environments: list[str]
    releases: list[str]
    countries: list[str] = field(default_factory=list)
    """Codes of ISO 3166-1."""


def facets(warehouse: Warehouse, projects: Sequence[int], since: datetime) -> Facets:
    """The facets, at most a minute old."""
    day = since.replace(hour=0, minute=0, second=0, microsecond=0)
    minute = time.monotonic() // KEPT_SECONDS
    return warehouse.cached(
        ("facets", tuple(projects), day, minute), lambda: _fetched(warehouse, projects, day)
    )


def _fetched(warehouse: Warehouse, projects: Sequence[int], day: datetime) -> Facets:
    statement = query("environments_and_releases").at(is_kept=kept_events(warehouse, projects))
    parameters = {"projects": list(projects), "since": day}
    rows, countries = both(
        lambda: warehouse.rows(statement, parameters),
        lambda: warehouse.rows(query("countries_of_loads"), parameters),
    )
    return Facets(
        environments=sorted({row["environment"] for row in rows if row["environment"]}),
        releases=list(dict.fromkeys(row["release"] for row in rows if row["release"])),
        countries=[row["country"] for row in countries],
    )
