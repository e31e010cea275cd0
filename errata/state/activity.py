"""The activity log, newest first."""

from sqlalchemy import select

from errata.state.activity_actions import Action, Activity
from errata.state.repository import Repository
from errata.state.table import objects


class ActivityLog(Repository):
    def entries(
        self, organization_id: int, *, kind: str = "", limit: int = 50, before_id: int | None = None
    ) -> list[Activity]:
        """Entries of the log. `kind` is the first word of the actions wanted (`api_key`), or empty for all of
        them."""
        query = (
            select(Activity)
            .where(Activity.organization_id == organization_id)
            .order_by(Activity.id.desc())
            .limit(limit)
        )
        if kind:
            query = query.where(Activity.action.in_([action for action in Action if action.kind == kind]))
        if before_id is not None:
            query = query.where(Activity.id < before_id)
        with self._database.reading() as connection:
            return objects(Activity, connection.execute(query))
