"""A setting that is one text of a project, with who changed it last."""

from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from sqlalchemy import Column, Table, delete, insert, select

from errata.state.activity_actions import Action
from errata.state.repository import Repository


class SettingRow(NamedTuple):
    text: str
    changed_at: datetime
    changed_by: str


class ProjectSetting(Repository):
    """`column` holds the text, in a table with `project_id`, `changed_at` and `changed_by`; without a row the
    project has its default."""

    column: ClassVar[Column[Any]]
    action: ClassVar[Action]

    def _read(self, organization_id: int, slug: str) -> SettingRow | None:
        table = self._table
        query = select(self.column, table.c.changed_at, table.c.changed_by)
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            row = connection.execute(query.where(table.c.project_id == project_id)).one_or_none()
        return SettingRow(*row) if row else None

    def _write(
        self, organization_id: int, slug: str, text: str, *, actor: str, subject: str
    ) -> SettingRow | None:
        """An empty text is the default."""
        table, now = self._table, self._database.now()
        with self._database.writing() as connection:
            # Serialized: two at once would both find no row, and insert theirs.
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            connection.execute(delete(table).where(table.c.project_id == project_id))
            if text:
                values = {self.column.name: text, "changed_at": now, "changed_by": actor}
                connection.execute(insert(table).values(project_id=project_id, **values))
            self._record(connection, organization_id, self.action, actor=actor, subject=subject)
        return SettingRow(text, now, actor) if text else None

    @property
    def _table(self) -> Table:
        table = self.column.table
        assert isinstance(table, Table)
        return table
