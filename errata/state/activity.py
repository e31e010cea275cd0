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


class ActivityLog(Repository):
    def entries(
        self, organization_id: int, *, kind: str = "", limit: int = 50, before_id: int | None = None
    ) -> list[Activity]:
        """Entries of the log. `kind` is the first word of the actions wanted (`api_key`), or empty for all of
        them."""
        query = (
            select(log.c.id, log.c.at, log.c.action, log.c.actor, log.c.subject, log.c.key_prefix)
            .where(log.c.organization_id == organization_id)
            .order_by(log.c.id.desc())
            .limit(limit)
        )
        if kind:
            query = query.where(log.c.action.in_([action.value for action in Action if action.kind == kind]))
        if before_id is not None:
            query = query.where(log.c.id < before_id)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            Activity(row.id, row.at, Action(row.action), row.actor, row.subject, row.key_prefix)
            for row in rows
        ]
