"""The values that filters of a project's performance pages offer."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.deletions import kept_statement
from errata.warehouse.sql import query

KEPT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Facets:
    """Environments by name; releases by the day last seen, the latest first."""

    environments: list[str]
    releases: list[str]


def facets(warehouse: Warehouse, projects: Sequence[int], since: datetime) -> Facets:
    """The facets, at most a minute old."""
    day = since.replace(hour=0, minute=0, second=0, microsecond=0)
    minute = time.monotonic() // KEPT_SECONDS
    return warehouse.cached(
        ("facets", tuple(projects), day, minute), lambda: _fetched(warehouse, projects, day)
    )


def _fetched(warehouse: Warehouse, projects: Sequence[int], day: datetime) -> Facets:
    statement = kept_statement(warehouse, projects, query("environments_and_releases"))
    rows = warehouse.rows(statement, {"projects": list(projects), "since": day})
    return Facets(
        environments=sorted({row["environment"] for row in rows if row["environment"]}),
        releases=list(dict.fromkeys(row["release"] for row in rows if row["release"])),
    )
