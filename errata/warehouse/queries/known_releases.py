"""The releases named by a project's events."""

from errata.clock import EPOCH
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def known_releases(warehouse: Warehouse, project_id: int) -> list[str]:
    parameters = {"project_id": project_id, "since": EPOCH, "by_hour": False}
    rows = warehouse.rows(sql.query("releases_of_project"), parameters)
    return [row["release"] for row in rows]
