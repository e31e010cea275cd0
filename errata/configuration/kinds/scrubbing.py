"""A project's scrubbing rules."""

from pydantic import Field

from errata.configuration.context import Context
from errata.configuration.kind import Entry, SettingKind
from errata.scrubbing import ProjectRules


class Rules(Entry):
    filtered_names: list[str] = Field(default_factory=list)
    filtered_patterns: list[str] = Field(default_factory=list)
    kept_names: list[str] = Field(default_factory=list)
    kept_patterns: list[str] = Field(default_factory=list)

    @property
    def rules(self) -> ProjectRules:
        return ProjectRules(**{name: tuple(entries) for name, entries in self.model_dump().items()})


class Scrubbing(SettingKind[Rules]):
    field = "scrubbing"
    noun = "scrubbing rules"
    description = "Names and RE2 patterns to filter beyond the built-in rules, and exceptions."
    shape = Rules

    @property
    def default(self) -> Rules:
        return Rules()

    def stored(self, context: Context) -> Rules:
        rules = context.store.scrubbing.get(context.organization_id, context.slug).rules
        return Rules(**{name: list(entries) for name, entries in vars(rules).items()})

    def checked(self, context: Context, value: Rules) -> Rules:
        value.rules.require_understood()
        return value

    def write(self, context: Context, value: Rules) -> None:
        context.store.scrubbing.replace(
            context.organization_id, context.slug, value.rules, actor=context.actor
        )


KIND = Scrubbing()
