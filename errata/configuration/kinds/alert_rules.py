"""Alert rules, which name their channels, and the budget that they follow."""

from typing import Any

from pydantic import Field

from errata.alerts.rule import KINDS, checked
from errata.configuration.context import Context
from errata.configuration.kind import Entry, ListKind, SimpleValues
from errata.configuration.kinds import budgets, channels
from errata.errors import InvalidParameter
from errata.state.alerts.rule import FOLLOWED, Rule
from errata.state.alerts.rules import NewRule

ANY_ID = "0" * 32


class RuleEntry(Entry):
    name: str
    kind: str = Field(json_schema_extra={"enum": list(KINDS)})
    condition: SimpleValues = Field(default_factory=dict)
    budget: str = Field(
        default="", description="A budget of this project that the rule follows instead of a condition."
    )
    query: str = Field(default="", description="Filter for events, in the search language.")
    priorities: list[str] = Field(default_factory=list)
    cap_minutes: int = 60
    enabled: bool = True
    channels: list[str] = Field(default_factory=list, description="Names of channels.")


class AlertRules(ListKind[RuleEntry]):
    field = "alert_rules"
    noun = "alert rule"
    description = "Rules that fire alerts."
    shape = list[RuleEntry]

    def name(self, entry: RuleEntry) -> str:
        return entry.name

    def stored(self, context: Context) -> list[RuleEntry]:
        names = channels.KIND.names(context.of(""))
        return [
            RuleEntry(
                name=rule.name,
                kind=rule.kind,
                condition={} if rule.budget_id else dict(rule.condition),
                budget=rule.budget_name,
                query=rule.query,
                priorities=list(rule.priorities),
                cap_minutes=rule.cap_minutes,
                enabled=rule.is_on,
                channels=sorted(names[each] for each in rule.channel_ids),
            )
            for rule in self._rows(context)
        ]

    def checked(self, context: Context, entry: RuleEntry) -> RuleEntry:
        if entry.budget and entry.condition:
            raise InvalidParameter("budget", "set either the budget or the condition, not both")
        if entry.budget and entry.budget not in budgets.KIND.known(context):
            raise InvalidParameter("budget", f"{context.slug} has no budget named {entry.budget!r}")
        if unknown := set(entry.channels) - channels.KIND.known(context.of("")):
            raise InvalidParameter("channels", f"no channel is named {min(unknown)!r}")
        condition = {FOLLOWED: ANY_ID} if entry.budget else entry.condition
        if FOLLOWED in entry.condition:
            raise InvalidParameter(f"condition.{FOLLOWED}", "name the budget in `budget`")
        new = checked(self._new(entry, condition, []))
        return entry.model_copy(
            update={
                "name": new.name,
                "condition": {} if entry.budget else dict(new.condition),
                "query": new.query,
                "priorities": list(new.priorities),
                "channels": sorted(set(entry.channels)),
            }
        )

    def create(self, context: Context, entry: RuleEntry) -> None:
        new = self._resolved(context, entry)
        context.store.alerts.rules.create(context.organization_id, context.slug, new, actor=context.actor)

    def change(self, context: Context, entry: RuleEntry) -> None:
        changed = self._resolved(context, entry)
        context.store.alerts.rules.change(
            *(context.organization_id, context.slug, self._id(context, entry.name), changed),
            actor=context.actor,
        )

    def delete(self, context: Context, name: str) -> None:
        context.store.alerts.rules.delete(
            context.organization_id, context.slug, self._id(context, name), actor=context.actor
        )

    def _resolved(self, context: Context, entry: RuleEntry) -> NewRule:
        """With ids in place of names."""
        ids = [channels.KIND.id(context.of(""), name) for name in entry.channels]
        followed = {FOLLOWED: budgets.KIND.id(context, entry.budget)} if entry.budget else None
        return checked(self._new(entry, followed or entry.condition, ids))

    @staticmethod
    def _new(entry: RuleEntry, condition: dict[str, Any], channel_ids: list[str]) -> NewRule:
        return NewRule(
            *(entry.name, entry.kind, condition, entry.query, entry.cap_minutes, entry.enabled),
            channel_ids=channel_ids,
            priorities=entry.priorities,
        )

    def _id(self, context: Context, name: str) -> str:
        return next(rule.id for rule in self._rows(context) if rule.name == name)

    def _rows(self, context: Context) -> list[Rule]:
        return context.store.alerts.rules.of_project(context.organization_id, context.slug)


KIND = AlertRules()
