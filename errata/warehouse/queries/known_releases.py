"""The releases named by a project's events."""

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def known_releases(warehouse: Warehouse, project_id: int) -> list[str]:
    rows = warehouse.rows(sql.query("releases_of_project"), {"project_id": project_id})
    return [row["release"] for row in rows]
