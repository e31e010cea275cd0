"""The inbound filters that each project has turned on."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Mapped

from errata.filters import NO_FILTERS, ProjectFilters
from errata.state.activity_actions import Action
from errata.state.project_setting import ProjectSetting, SettingRow


class FiltersRow(SettingRow):
    __tablename__ = "inbound_filters"

    filters: Mapped[str]


@dataclass(frozen=True)
class StoredFilters:
    """`changed_at` None: no filter is on."""

    filters: ProjectFilters = NO_FILTERS
    changed_at: datetime | None = None
    changed_by: str = ""


class InboundFilters(ProjectSetting[FiltersRow]):
    table, column = FiltersRow, "filters"
    action = Action.INBOUND_FILTERS_CHANGED

    def get(self, organization_id: int, slug: str) -> StoredFilters:
        row = self._read(organization_id, slug)
        if row is None:
            return StoredFilters()
        return StoredFilters(ProjectFilters.of(row.filters), row.changed_at, row.changed_by)

    def replace(
        self, organization_id: int, slug: str, filters: ProjectFilters, *, actor: str
    ) -> StoredFilters:
        """Replaces the filters, from the next batch on. InvalidParameter names every wrong entry."""
        filters.require_understood()
        said = ", ".join(sorted(filters.on)) or "all off"
        text = filters.text if filters.on else ""
        row = self._write(organization_id, slug, text, actor=actor, subject=f"{slug}: {said}")
        return StoredFilters(filters, row.changed_at, row.changed_by) if row else StoredFilters()
