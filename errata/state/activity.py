"""The activity log, newest first."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.tables import activity_log as log


@dataclass(frozen=True)
class Activity:
    id: int
    at: datetime
    action: Action
    actor: str
    subject: str
    key_prefix: str
    address: str
    """Of the client; empty for background work, and in entries of earlier versions."""


class ActivityLog(Repository):
    def entries(
        self, organization_id: int, *, kind: str = "", limit: int = 50, before_id: int | None = None
    ) -> list[Activity]:
        """Entries of the log. `kind` is the first word of the actions wanted (`api_key`), or empty for all of
        them."""
        query = (
            select(*(log.c[name] for name in Activity.__dataclass_fields__))
            .where(log.c.organization_id == organization_id)
            .order_by(log.c.id.desc())
            .limit(limit)
        )
        if kind:
            query = query.where(log.c.action.in_([action.value for action in Action if action.kind == kind]))
        if before_id is not None:
            query = query.where(log.c.id < before_id)
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [Activity(**{**row, "action": Action(row["action"])}) for row in rows]
