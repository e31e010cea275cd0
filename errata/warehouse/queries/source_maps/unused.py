"""What of a project's uploads is of no use any more."""

from datetime import datetime
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def unused_bundles(warehouse: Warehouse, project_id: int, uploaded_before: datetime) -> list[UUID]:
    """Uploads that no kept event uses."""
    asked = {"project_id": project_id, "uploaded_before": uploaded_before}
    return [row["bundle_id"] for row in warehouse.rows(sql.query("unused_source_bundles"), asked)]


def orphaned_maps(warehouse: Warehouse, project_id: int, recorded_before: datetime) -> list[UUID]:
    """Removed bundles whose scripts are still listed."""
    asked = {"project_id": project_id, "recorded_before": recorded_before}
    return [row["bundle_id"] for row in warehouse.rows(sql.query("orphaned_source_maps"), asked)]


def orphaned_contents(warehouse: Warehouse, project_id: int, received_before: datetime) -> list[UUID]:
    """Contents that no listed script or map has."""
    asked = {"project_id": project_id, "received_before": received_before}
    return [row["content_id"] for row in warehouse.rows(sql.query("orphaned_contents"), asked)]
