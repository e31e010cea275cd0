"""Variants that are to be read through source maps, and what grouping by original frames starts from."""

from collections.abc import Sequence
from datetime import datetime

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse


def variants_to_map(warehouse: Warehouse, project_id: int, received_since: datetime, limit: int) -> list[int]:
    """The one seen first first."""
    asked = {"project_id": project_id, "received_since": received_since, "limit": limit}
    return [row["variant_hash"] for row in warehouse.rows(sql.query("variants_to_map"), asked)]


def events_to_map(warehouse: Warehouse, project_id: int, variants: Sequence[int]) -> list[Row]:
    """By variant the event to look at: variant_hash, item_id, release, payload. None where none is kept."""
    return warehouse.rows(sql.query("events_to_map"), {"project_id": project_id, "variants": list(variants)})


def placements_of_variants(warehouse: Warehouse, project_id: int, variants: Sequence[int]) -> list[Row]:
    """Where variants are, and what they look like; columns as in the statement."""
    asked = {"projects": [project_id], "variants": sorted(variants)}
    return warehouse.rows(sql.query("placements_of_variants"), asked)


def issues_of_mapped_variants(
    warehouse: Warehouse, project_id: int, configuration: int, without: Sequence[int]
) -> dict[int, int]:
    """By fingerprint of original frames the issue that has it."""
    asked = {"project_id": project_id, "configuration": configuration, "variants": sorted(without)}
    rows = warehouse.rows(sql.query("issues_of_mapped_variants"), asked)
    return {row["fingerprint_hash"]: row["issue_id"] for row in rows}
