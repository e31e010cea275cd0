"""Alert rules of projects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, delete, func, insert, select, update

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.alerts.channel import Channel
from errata.state.alerts.firings import Firing
from errata.state.alerts.followed_budgets import check_followed, followed, with_limit
from errata.state.alerts.rule import FOLLOWED, Rule, RuleChannel
from errata.state.budgets import Budget
from errata.state.errors import AlertRuleNotFound
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import objects


@dataclass(frozen=True)
class NewRule:
    """`condition` holds the numbers of its kind, or the id of a budget that the rule follows; `query` selects
    events, in the search language.

    `priorities`: an issue must have one of them; empty: any.
    """

    name: str
    kind: str
    condition: Mapping[str, Any] = field(default_factory=dict)
    query: str = ""
    cap_minutes: int = 60
    is_on: bool = True
    channel_ids: Sequence[str] = ()
    priorities: Sequence[str] = ()


SELECTED = (
    select(Rule, ProjectRow.slug.label("project_slug"))
    .join(ProjectRow, ProjectRow.id == Rule.project_id)
    .where(Rule.deleted_at.is_(None), ProjectRow.deleted_at.is_(None))
    .order_by(Rule.created_at, Rule.id)
)


class AlertRules(Repository):
    def of_project(self, organization_id: int, slug: str) -> list[Rule]:
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            return self._rules(connection, Rule.project_id == project_id)

    def get(self, organization_id: int, slug: str, rule_id: str) -> Rule:
        with self._database.reading() as connection:
            return self._rule(connection, organization_id, slug, rule_id)

    def enabled(self) -> list[Rule]:
        """Enabled rules of all organizations, for the job that evaluates them."""
        with self._database.reading() as connection:
            return self._rules(connection, Rule.is_on.is_(True))

    def with_limit(self, organization_id: int, slug: str, condition: Mapping[str, Any]) -> dict[str, Any]:
        """The condition of a rule that is not stored, complete. Raises InvalidParameter."""
        with self._database.reading() as connection:
            check_followed(connection, self._project_id(connection, organization_id, slug), condition)
            return with_limit(condition, followed(connection, [condition]))

    def create(self, organization_id: int, slug: str, new: NewRule, *, actor: str) -> Rule:
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            check_followed(connection, project_id, new.condition)
            rule_id, now = uuid4().hex, self._database.now()
            connection.execute(
                insert(Rule).values(
                    id=rule_id,
                    organization_id=organization_id,
                    project_id=project_id,
                    created_at=now,
                    created_by=actor,
                    evaluated_until=now,
                    since=now,
                    failure="",
                    **_values(new),
                )
            )
            self._connect(connection, organization_id, rule_id, new.channel_ids)
            self._record(
                connection, organization_id, Action.ALERT_RULE_CREATED, actor=actor, subject=new.name
            )
            return self._rule(connection, organization_id, slug, rule_id)

    def change(self, organization_id: int, slug: str, rule_id: str, changed: NewRule, *, actor: str) -> Rule:
        """Changes a rule. Evaluation starts anew unless only name, channels or cap change."""
        with self._database.writing() as connection:
            before = self._rule(connection, organization_id, slug, rule_id)
            check_followed(connection, before.project_id, changed.condition)
            values = _values(changed)
            is_other = (before.kind, before.stored_condition, before.query, before.priorities) != (
                changed.kind,
                dict(changed.condition),
                changed.query,
                tuple(changed.priorities),
            )
            if is_other or (changed.is_on and not before.is_on):
                values |= {"since": self._database.now(), "evaluated_until": self._database.now()}
            values["failure"] = ""
            connection.execute(update(Rule).where(Rule.id == rule_id).values(**values))
            connection.execute(delete(RuleChannel).where(RuleChannel.rule_id == rule_id))
            self._connect(connection, organization_id, rule_id, changed.channel_ids)
            self._record(
                connection, organization_id, Action.ALERT_RULE_CHANGED, actor=actor, subject=changed.name
            )
            return self._rule(connection, organization_id, slug, rule_id)

    def delete(self, organization_id: int, slug: str, rule_id: str, *, actor: str) -> None:
        with self._database.writing() as connection:
            rule = self._rule(connection, organization_id, slug, rule_id)
            connection.execute(update(Rule).where(Rule.id == rule_id).values(deleted_at=self._database.now()))
            self._record(
                connection, organization_id, Action.ALERT_RULE_DELETED, actor=actor, subject=rule.name
            )

    def note_failure(self, rule_id: str, failure: str) -> None:
        with self._database.writing() as connection:
            connection.execute(update(Rule).where(Rule.id == rule_id).values(failure=failure[:200]))

    def _connect(
        self, connection: Connection, organization_id: int, rule_id: str, channel_ids: Sequence[str]
    ) -> None:
        known = {
            row.id
            for row in connection.execute(
                select(Channel.id).where(
                    Channel.organization_id == organization_id, Channel.deleted_at.is_(None)
                )
            )
        }
        for channel_id in dict.fromkeys(channel_ids):
            if channel_id not in known:
                raise InvalidParameter("channels", "one of them is not a channel of the organization")
            connection.execute(insert(RuleChannel).values(rule_id=rule_id, channel_id=channel_id))

    def _rule(self, connection: Connection, organization_id: int, slug: str, rule_id: str) -> Rule:
        project_id = self._project_id(connection, organization_id, slug)
        found = self._rules(connection, (Rule.project_id == project_id) & (Rule.id == rule_id))
        if not found:
            raise AlertRuleNotFound(rule_id)
        return found[0]

    def _rules(self, connection: Connection, condition: Any) -> list[Rule]:
        rules = objects(Rule, connection.execute(SELECTED.where(condition)))
        ids = [rule.id for rule in rules]
        channels: dict[str, list[str]] = {}
        for rule_id, channel_id in connection.execute(
            select(RuleChannel.rule_id, RuleChannel.channel_id)
            .where(RuleChannel.rule_id.in_(ids))
            .order_by(RuleChannel.channel_id)
        ):
            channels.setdefault(rule_id, []).append(channel_id)
        counts = {
            rule_id: (count, last)
            for rule_id, count, last in connection.execute(
                select(Firing.rule_id, func.count(), func.max(Firing.fired_at))
                .where(Firing.rule_id.in_(ids))
                .group_by(Firing.rule_id)
            )
        }
        budgets = followed(connection, [rule.condition for rule in rules])
        return [
            replace(
                _followed(rule, budgets),
                channel_ids=tuple(channels.get(rule.id, ())),
                fired_count=counts.get(rule.id, (0, None))[0],
                last_fired_at=counts.get(rule.id, (0, None))[1],
            )
            for rule in rules
        ]


def _values(rule: NewRule) -> dict[str, Any]:
    return {name: value for name, value in vars(rule).items() if name != "channel_ids"}


def _followed(rule: Rule, budgets: Mapping[str, Budget]) -> Rule:
    """The rule with its budget's limit, if it follows one."""
    if FOLLOWED not in rule.condition:
        return rule
    budget = budgets[rule.condition[FOLLOWED]]
    return replace(
        rule,
        condition=with_limit(rule.condition, budgets),
        # A changed limit starts anew, as a changed condition does.
        since=max(rule.since, budget.changed_at),
        budget_id=budget.id,
        budget_name=budget.name,
    )
