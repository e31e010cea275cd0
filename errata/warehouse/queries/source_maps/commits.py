"""Commits of releases, as upload tools send them."""

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def previous_release(warehouse: Warehouse, project_id: int, release: str) -> tuple[str, str] | None:
    """The release whose commits were sent last before, and its latest commit."""
    asked = {"project_id": project_id, "release": release}
    rows = warehouse.rows(sql.query("previous_release_with_commits"), asked)
    return (rows[0]["release"], rows[0]["commit_id"]) if rows else None
