"""Scrubbing rules of each project: additions to the default, and exceptions."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Mapped

from errata.scrubbing import NO_PROJECT_RULES, ProjectRules
from errata.state.activity_actions import Action
from errata.state.project_setting import ProjectSetting, SettingRow


class ScrubbingRules(SettingRow):
    __tablename__ = "scrubbing_rules"

    rules: Mapped[str]


@dataclass(frozen=True)
class StoredScrubbing:
    """`changed_at` None: the project has no rules of its own."""

    rules: ProjectRules = NO_PROJECT_RULES
    changed_at: datetime | None = None
    changed_by: str = ""


class ProjectScrubbing(ProjectSetting[ScrubbingRules]):
    table, column = ScrubbingRules, "rules"
    action = Action.SCRUBBING_RULES_CHANGED

    def get(self, organization_id: int, slug: str) -> StoredScrubbing:
        row = self._read(organization_id, slug)
        if row is None:
            return StoredScrubbing()
        return StoredScrubbing(ProjectRules.of(row.rules), row.changed_at, row.changed_by)

    def replace(self, organization_id: int, slug: str, rules: ProjectRules, *, actor: str) -> StoredScrubbing:
        """Replaces the rules, from the next batch on. ScrubbingRulesNotUnderstood names every wrong entry."""
        rules.require_understood()
        row = self._write(organization_id, slug, rules.text, actor=actor, subject=slug)
        return StoredScrubbing(rules, row.changed_at, row.changed_by) if row else StoredScrubbing()
