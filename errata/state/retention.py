"""How many days each project keeps its data, where that is fewer than the warehouse does."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, insert, select

from errata.state.activity_actions import Action
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.tables import retentions
from errata.warehouse.retention import Retention


@dataclass(frozen=True)
class StoredRetention:
    """`changed_at` None: the project has no retention of its own."""

    retention: Retention = field(default_factory=Retention)
    changed_at: datetime | None = None
    changed_by: str = ""


class ProjectRetention(Repository):
    def get(self, organization_id: int, slug: str) -> StoredRetention:
        query = select(retentions.c.days, retentions.c.changed_at, retentions.c.changed_by)
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            row = connection.execute(query.where(retentions.c.project_id == project_id)).one_or_none()
        return StoredRetention(Retention.of(row[0]), row[1], row[2]) if row else StoredRetention()

    def all(self) -> dict[int, Retention]:
        """By id the projects with a retention of their own, of every organization, for background work."""
        query = (
            select(retentions.c.project_id, retentions.c.days)
            .join(ProjectRow, ProjectRow.id == retentions.c.project_id)
            .where(ProjectRow.deleted_at.is_(None))
            .order_by(retentions.c.project_id)
        )
        with self._database.reading() as connection:
            return {project_id: Retention.of(days) for project_id, days in connection.execute(query)}

    def replace(
        self, organization_id: int, slug: str, retention: Retention, *, actor: str
    ) -> StoredRetention:
        """Raises InvalidParameter and ProjectNotFound."""
        retention.require_possible()
        now = self._database.now()
        with self._database.writing() as connection:
            # Serialized: two at once would both find no row, and insert theirs.
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            connection.execute(delete(retentions).where(retentions.c.project_id == project_id))
            if retention.own:
                values = {"days": retention.text, "changed_at": now, "changed_by": actor}
                connection.execute(insert(retentions).values(project_id=project_id, **values))
            days = [f"{kind.value} {days}" for kind, days in sorted(retention.own.items())]
            said = ", ".join(days) or "as long as the service does"
            self._record(
                connection,
                organization_id,
                Action.RETENTION_CHANGED,
                actor=actor,
                subject=f"{slug}: {said}"[:200],
            )
        return StoredRetention(retention, now, actor) if retention.own else StoredRetention()
