"""Starts of releases: deployments on charts, and dates that shifts are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True, slots=True)
class ReleaseStart:
    """A deployment, as browsers saw it."""

    release: str
    environment: str
    began_at: datetime
    view_count: int


def release_starts(
    warehouse: Warehouse, project_id: int, since: datetime, environment: str = ""
) -> list[ReleaseStart]:
    """Starts, the earliest first; a release starts in each of its environments."""
    rows = warehouse.rows(sql.query("release_starts"), {"project_id": project_id, "since": since})
    return [
        ReleaseStart(row["release"], row["environment"], utc(row["began_at"]), row["loads"])
        for row in rows
        if environment in ("", row["environment"])
    ]


def deploys(
    warehouse: Warehouse, projects: Sequence[int], since: datetime, environment: str = ""
) -> list[tuple[datetime, str]]:
    """Starts of releases; a release with several environments appears once."""
    first: dict[str, datetime] = {}
    for project_id in projects:
        for start in release_starts(warehouse, project_id, since, environment):
            first.setdefault(start.release, start.began_at)
    return [(began_at, release) for release, began_at in first.items()]
