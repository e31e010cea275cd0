"""Uploads of a project, and what is missing."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.typed_rows import typed


@dataclass(frozen=True)
class SourceBundle:
    """An upload. `byte_count` is not compressed; `last_used_at` is the latest event read through it, as
    of the last build."""

    bundle_id: UUID
    release: str
    dist: str
    uploaded_at: datetime
    uploaded_by: str
    script_count: int
    map_count: int
    byte_count: int
    debug_id_count: int
    variant_count: int
    last_used_at: datetime | None


@dataclass(frozen=True)
class MissingSourceMap:
    """A script whose map is missing. Events are those of the last 30 days, as of the last build."""

    name: str
    debug_id: UUID | None
    release: str
    dist: str
    event_count: int
    variant_count: int


def source_bundles(
    warehouse: Warehouse, project_id: int, release: str = "", limit: int = 500
) -> list[SourceBundle]:
    """The latest upload first."""
    asked = {"project_id": project_id, "release": release, "limit": limit}
    return [typed(SourceBundle, row) for row in warehouse.rows(sql.query("source_bundles"), asked)]


def missing_source_maps(warehouse: Warehouse, project_id: int, limit: int = 100) -> list[MissingSourceMap]:
    """The one that would make most events readable first."""
    asked = {"project_id": project_id, "limit": limit}
    return [typed(MissingSourceMap, row) for row in warehouse.rows(sql.query("missing_source_maps"), asked)]
