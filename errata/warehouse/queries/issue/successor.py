"""The target of an emptied issue's address."""

from errata.clock import EPOCH
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.membership import decided_merges


def successor_of_issue(warehouse: Warehouse, project_id: int, issue_id: int) -> int | None:
    """The issue with most of its events now; None for an issue with variants, and for one that never had
    any."""
    root = decided_merges(warehouse, project_id).root(issue_id)
    issues = {"issue_id": issue_id, "whole_id": root}
    parameters = {"project_id": project_id, **issues, "since": EPOCH, "by_hour": False}
    rows = warehouse.rows(sql.query("successor_of_issue"), parameters)
    return rows[0]["issue_id"] if rows else None
