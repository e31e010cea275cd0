"""Commits of releases, as upload tools send them."""

from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def previous_release(warehouse: Warehouse, project_id: int, release: str) -> tuple[str, str, datetime] | None:
    """The release whose commits were sent last before, its latest commit, and when they were sent."""
    asked = {"project_id": project_id, "release": release}
    rows = warehouse.rows(sql.query("previous_release_with_commits"), asked)
    return (rows[0]["release"], rows[0]["commit_id"], utc(rows[0]["recorded_last_at"])) if rows else None
