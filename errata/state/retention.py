"""How many days each project keeps its data, where that is fewer than the warehouse does."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from errata.state.activity_actions import Action
from errata.state.project import ProjectRow
from errata.state.project_setting import ProjectSetting, SettingRow
from errata.warehouse.retention import Retention


class RetentionRow(SettingRow):
    """Of projects that keep data for fewer days than the warehouse does."""

    __tablename__ = "retentions"

    days: Mapped[str]


@dataclass(frozen=True)
class StoredRetention:
    """`changed_at` None: the project has no retention of its own."""

    retention: Retention = field(default_factory=Retention)
    changed_at: datetime | None = None
    changed_by: str = ""


class ProjectRetention(ProjectSetting[RetentionRow]):
    table, column = RetentionRow, "days"
    action = Action.RETENTION_CHANGED

    def get(self, organization_id: int, slug: str) -> StoredRetention:
        row = self._read(organization_id, slug)
        if row is None:
            return StoredRetention()
        return StoredRetention(Retention.of(row.days), row.changed_at, row.changed_by)

    def all(self) -> dict[int, Retention]:
        """By id the projects with a retention of their own, of every organization, for background work."""
        query = (
            select(RetentionRow.project_id, RetentionRow.days)
            .join(ProjectRow, ProjectRow.id == RetentionRow.project_id)
            .where(ProjectRow.deleted_at.is_(None))
            .order_by(RetentionRow.project_id)
        )
        with self._database.reading() as connection:
            return {project_id: Retention.of(days) for project_id, days in connection.execute(query)}

    def replace(
        self, organization_id: int, slug: str, retention: Retention, *, actor: str
    ) -> StoredRetention:
        """Raises InvalidParameter and ProjectNotFound."""
        retention.require_possible()
        days = [f"{kind.value} {days}" for kind, days in sorted(retention.own.items())]
        said = ", ".join(days) or "as long as the service does"
        row = self._write(organization_id, slug, retention.text, actor=actor, subject=f"{slug}: {said}")
        return StoredRetention(retention, row.changed_at, row.changed_by) if row else StoredRetention()
