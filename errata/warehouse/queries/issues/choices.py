"""What the issue list of a project can be narrowed to beside its search."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# They change with a new release, and each list and page of users shows them.
SHARED_SECONDS = 30.0


@dataclass(frozen=True)
class Choices:
    """Seen in a period, the latest first."""

    environments: Sequence[str]
    releases: Sequence[str]


def choices_of_project(warehouse: Warehouse, project_id: int, since: datetime) -> Choices:
    """Up to half a minute old."""
    parameters = {"project_id": project_id, "since": since}
    rows = warehouse.shared(SHARED_SECONDS).rows(sql.query("choices_of_project"), parameters)
    environments, releases = (
        [row["value"] for row in rows if row["name"] == name] for name in ("environment", "release")
    )
    return Choices(environments, releases)
