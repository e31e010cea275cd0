"""What the issue list of a project can be narrowed to beside its search."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True)
class Choices:
    """Seen in a period, the latest first."""

    environments: Sequence[str]
    releases: Sequence[str]


def choices_of_project(warehouse: Warehouse, project_id: int, since: datetime) -> Choices:
    rows = warehouse.rows(sql.query("choices_of_project"), {"project_id": project_id, "since": since})
    environments, releases = (
        [row["value"] for row in rows if row["name"] == name] for name in ("environment", "release")
    )
    return Choices(environments, releases)
