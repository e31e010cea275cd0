"""Scrubbing rules of each project: additions to the default, and exceptions."""

from dataclasses import dataclass
from datetime import datetime

from errata.scrubbing import NO_PROJECT_RULES, ProjectRules
from errata.state.activity_actions import Action
from errata.state.project_setting import ProjectSetting
from errata.state.tables import scrubbing_rules


@dataclass(frozen=True)
class StoredScrubbing:
    """`changed_at` None: the project has no rules of its own."""

    rules: ProjectRules = NO_PROJECT_RULES
    changed_at: datetime | None = None
    changed_by: str = ""


class ProjectScrubbing(ProjectSetting):
    column = scrubbing_rules.c.rules
    action = Action.SCRUBBING_RULES_CHANGED

    def get(self, organization_id: int, slug: str) -> StoredScrubbing:
        row = self._read(organization_id, slug)
        return StoredScrubbing(ProjectRules.of(row.text), *row[1:]) if row else StoredScrubbing()

    def replace(self, organization_id: int, slug: str, rules: ProjectRules, *, actor: str) -> StoredScrubbing:
        """Replaces the rules, from the next batch on. ScrubbingRulesNotUnderstood names every wrong entry."""
        rules.require_understood()
        row = self._write(organization_id, slug, rules.text, actor=actor, subject=slug)
        return StoredScrubbing(rules, *row[1:]) if row else StoredScrubbing()
