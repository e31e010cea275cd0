"""Facts about issues, beyond their events, that alerts use."""

from collections.abc import Sequence
from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.events import lists


def mutes(warehouse: Warehouse, project_id: int) -> dict[int, list[tuple[datetime, datetime]]]:
    """The moment each issue was ignored."""
    rows = warehouse.rows(sql.query("alert_mutes"), {"project_id": project_id})
    found: dict[int, list[tuple[datetime, datetime]]] = {}
    for row in rows:
        found.setdefault(row["issue_id"], []).append((utc(row["muted_at"]), utc(row["muted_until"])))
    return found


def issue_titles(warehouse: Warehouse, project_id: int, issues: Sequence[int]) -> dict[int, tuple[str, str]]:
    statement, titles = sql.query("alert_issues"), dict[int, tuple[str, str]]()
    for listed in lists(issues):
        rows = warehouse.rows(statement, {"project_id": project_id, "issues": listed})
        titles |= {row["issue_id"]: (row["title"], row["culprit"]) for row in rows}
    return titles
