"""Scrubbing rules of each project: additions to the default, and exceptions."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from errata.scrubbing import NO_PROJECT_RULES, ProjectRules
from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.tables import scrubbing_rules


@dataclass(frozen=True)
class StoredScrubbing:
    """`changed_at` None: the project has no rules of its own."""

    rules: ProjectRules = NO_PROJECT_RULES
    changed_at: datetime | None = None
    changed_by: str = ""


class ProjectScrubbing(Repository):
    def get(self, organization_id: int, slug: str) -> StoredScrubbing:
        columns = scrubbing_rules.c
        query = select(columns.rules, columns.changed_at, columns.changed_by)
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            row = connection.execute(query.where(columns.project_id == project_id)).one_or_none()
        return StoredScrubbing(ProjectRules.of(row[0]), row[1], row[2]) if row else StoredScrubbing()

    def replace(self, organization_id: int, slug: str, rules: ProjectRules, *, actor: str) -> StoredScrubbing:
        """Replaces the rules, from the next batch on. ScrubbingRulesNotUnderstood names every wrong entry."""
        rules.require_understood()
        now = self._database.now()
        with self._database.writing() as connection:
            # Serialized: two at once would both find no row, and insert theirs.
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            connection.execute(delete(scrubbing_rules).where(scrubbing_rules.c.project_id == project_id))
            if rules.text:
                values = {"rules": rules.text, "changed_at": now, "changed_by": actor}
                connection.execute(insert(scrubbing_rules).values(project_id=project_id, **values))
            action = Action.SCRUBBING_RULES_CHANGED
            self._record(connection, organization_id, action, actor=actor, subject=slug)
        return StoredScrubbing(rules, now, actor) if rules.text else StoredScrubbing()
