"""A setting that is one text of a project, with who changed it last."""

from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import ForeignKey, String, delete, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.table import Table, objects


class SettingRow(Table):
    """What tables of settings have in common; without a row the project has the default."""

    __abstract__ = True

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    changed_at: Mapped[datetime]
    changed_by: Mapped[str] = mapped_column(String(320))


Row = TypeVar("Row", bound=SettingRow)


class ProjectSetting(Repository, Generic[Row]):
    """`column` is the one that holds the text."""

    table: type[Row]
    column: ClassVar[str]
    action: ClassVar[Action]

    def _read(self, organization_id: int, slug: str) -> Row | None:
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            found = connection.execute(select(self.table).where(self.table.project_id == project_id))
            return next(iter(objects(self.table, found)), None)

    def _write(self, organization_id: int, slug: str, text: str, *, actor: str, subject: str) -> Row | None:
        """An empty text is the default."""
        table, now = self.table, self._database.now()
        with self._database.writing() as connection:
            # Serialized: two at once would both find no row, and insert theirs.
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            connection.execute(delete(table).where(table.project_id == project_id))
            self._record(connection, organization_id, self.action, actor=actor, subject=subject[:200])
            if not text:
                return None
            row: dict[str, Any] = {"project_id": project_id, "changed_at": now, "changed_by": actor}
            row[self.column] = text
            connection.execute(insert(table).values(row))
            return table(**row)
