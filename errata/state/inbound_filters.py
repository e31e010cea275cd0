"""The inbound filters that each project has turned on."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from errata.filters import NO_FILTERS, ProjectFilters
from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.tables import inbound_filters


@dataclass(frozen=True)
class StoredFilters:
    """`changed_at` None: no filter is on."""

    filters: ProjectFilters = NO_FILTERS
    changed_at: datetime | None = None
    changed_by: str = ""


class InboundFilters(Repository):
    def get(self, organization_id: int, slug: str) -> StoredFilters:
        columns = inbound_filters.c
        query = select(columns.filters, columns.changed_at, columns.changed_by)
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            row = connection.execute(query.where(columns.project_id == project_id)).one_or_none()
        return StoredFilters(ProjectFilters.of(row[0]), row[1], row[2]) if row else StoredFilters()

    def replace(
        self, organization_id: int, slug: str, filters: ProjectFilters, *, actor: str
    ) -> StoredFilters:
        """Replaces the filters, from the next batch on. InvalidParameter names every wrong entry."""
        filters.require_understood()
        now = self._database.now()
        with self._database.writing() as connection:
            # Serialized: two at once would both find no row, and insert theirs.
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            connection.execute(delete(inbound_filters).where(inbound_filters.c.project_id == project_id))
            if filters.on:
                values = {"filters": filters.text, "changed_at": now, "changed_by": actor}
                connection.execute(insert(inbound_filters).values(project_id=project_id, **values))
            said = ", ".join(sorted(filters.on)) or "all off"
            self._record(
                connection,
                organization_id,
                Action.INBOUND_FILTERS_CHANGED,
                actor=actor,
                subject=f"{slug}: {said}"[:200],
            )
        return StoredFilters(filters, now, actor) if filters.on else StoredFilters()
