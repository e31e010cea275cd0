"""Projects whose raw rows may be gone, since they keep fewer days than the table: their published rows are
carried over, never computed again."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from pipelines.builder.attempt import Attempt


@dataclass(frozen=True)
class Expired:
    """`through`: by project the last day of receipt whose rows may be gone."""

    through: Mapping[int, date] = field(default_factory=dict)

    def projects(self, start: datetime) -> Collection[int]:
        """Those that cannot be computed in the window that starts here: no row is received before it
        occurs."""
        return [project_id for project_id, through in self.through.items() if start.date() <= through]


def expired_rows(attempt: Attempt, table: str) -> Expired:
    """Of a raw table; nothing for a mart that is built from another one, whose rows were carried over."""
    if not table:
        return Expired()
    rows = attempt.fetch("expired_projects", {"table": table})
    return Expired({row["project_id"]: row["through"] for row in rows})
