"""Alert rules of projects."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, delete, func, insert, select, update

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.alerts.followed_budgets import check_followed, followed, with_limit
from errata.state.budgets import FOLLOWED, Budget
from errata.state.errors import AlertRuleNotFound
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.tables import alert_channels, alert_firings, alert_rule_channels, alert_rules


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


@dataclass(frozen=True)
class Rule:
    """Only events received after `since` can fire; those until `evaluated_until` have been evaluated.

    `condition` is complete: that of a rule that follows a budget holds the limit that the budget has now.
    """

    id: str
    organization_id: int
    project_id: int
    project_slug: str
    name: str
    kind: str
    condition: Mapping[str, Any]
    query: str
    priorities: tuple[str, ...]
    cap_minutes: int
    is_on: bool
    created_at: datetime
    created_by: str
    evaluated_until: datetime
    since: datetime
    failure: str
    channel_ids: tuple[str, ...] = ()
    fired_count: int = 0
    last_fired_at: datetime | None = None
    budget_id: str = ""
    """Of the budget that it follows."""
    budget_name: str = ""

    @property
    def stored_condition(self) -> dict[str, Any]:
        return {FOLLOWED: self.budget_id} if self.budget_id else dict(self.condition)


COLUMNS = (
    *(alert_rules.c[name] for name in ("id", "organization_id", "project_id")),
    ProjectRow.slug,
    *(
        alert_rules.c[name]
        for name in (
            "name",
            "kind",
            "condition",
            "query",
            "priorities",
            "cap_minutes",
            "is_on",
            "created_at",
            "created_by",
            "evaluated_until",
            "since",
            "failure",
        )
    ),
)
SELECTED = (
    select(*COLUMNS)
    .join(ProjectRow, ProjectRow.id == alert_rules.c.project_id)
    .where(alert_rules.c.deleted_at.is_(None), ProjectRow.deleted_at.is_(None))
    .order_by(alert_rules.c.created_at, alert_rules.c.id)
)


class AlertRules(Repository):
    def of_project(self, organization_id: int, slug: str) -> list[Rule]:
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            return self._rules(connection, alert_rules.c.project_id == project_id)

    def get(self, organization_id: int, slug: str, rule_id: str) -> Rule:
        with self._database.reading() as connection:
            return self._rule(connection, organization_id, slug, rule_id)

    def enabled(self) -> list[Rule]:
        """Enabled rules of all organizations, for the job that evaluates them."""
        with self._database.reading() as connection:
            return self._rules(connection, alert_rules.c.is_on.is_(True))

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
                insert(alert_rules).values(
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
            connection.execute(update(alert_rules).where(alert_rules.c.id == rule_id).values(**values))
            connection.execute(delete(alert_rule_channels).where(alert_rule_channels.c.rule_id == rule_id))
            self._connect(connection, organization_id, rule_id, changed.channel_ids)
            self._record(
                connection, organization_id, Action.ALERT_RULE_CHANGED, actor=actor, subject=changed.name
            )
            return self._rule(connection, organization_id, slug, rule_id)

    def delete(self, organization_id: int, slug: str, rule_id: str, *, actor: str) -> None:
        with self._database.writing() as connection:
            rule = self._rule(connection, organization_id, slug, rule_id)
            connection.execute(
                update(alert_rules).where(alert_rules.c.id == rule_id).values(deleted_at=self._database.now())
            )
            self._record(
                connection, organization_id, Action.ALERT_RULE_DELETED, actor=actor, subject=rule.name
            )

    def note_failure(self, rule_id: str, failure: str) -> None:
        with self._database.writing() as connection:
            connection.execute(
                update(alert_rules).where(alert_rules.c.id == rule_id).values(failure=failure[:200])
            )

    def _connect(
        self, connection: Connection, organization_id: int, rule_id: str, channel_ids: Sequence[str]
    ) -> None:
        known = {
            row.id
            for row in connection.execute(
                select(alert_channels.c.id).where(
                    alert_channels.c.organization_id == organization_id, alert_channels.c.deleted_at.is_(None)
                )
            )
        }
        for channel_id in dict.fromkeys(channel_ids):
            if channel_id not in known:
                raise InvalidParameter("channels", "one of them is not a channel of the organization")
            connection.execute(insert(alert_rule_channels).values(rule_id=rule_id, channel_id=channel_id))

    def _rule(self, connection: Connection, organization_id: int, slug: str, rule_id: str) -> Rule:
        project_id = self._project_id(connection, organization_id, slug)
        found = self._rules(
            connection, (alert_rules.c.project_id == project_id) & (alert_rules.c.id == rule_id)
        )
        if not found:
            raise AlertRuleNotFound(rule_id)
        return found[0]

    def _rules(self, connection: Connection, condition: Any) -> list[Rule]:
        rows = connection.execute(SELECTED.where(condition)).all()
        ids = [row.id for row in rows]
        channels: dict[str, list[str]] = {}
        for rule_id, channel_id in connection.execute(
            select(alert_rule_channels.c.rule_id, alert_rule_channels.c.channel_id)
            .where(alert_rule_channels.c.rule_id.in_(ids))
            .order_by(alert_rule_channels.c.channel_id)
        ):
            channels.setdefault(rule_id, []).append(channel_id)
        counts = {
            rule_id: (count, last)
            for rule_id, count, last in connection.execute(
                select(alert_firings.c.rule_id, func.count(), func.max(alert_firings.c.fired_at))
                .where(alert_firings.c.rule_id.in_(ids))
                .group_by(alert_firings.c.rule_id)
            )
        }
        budgets = followed(connection, [json.loads(row.condition) for row in rows])
        return [_rule(row, channels.get(row.id, []), counts.get(row.id, (0, None)), budgets) for row in rows]


def _values(rule: NewRule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "kind": rule.kind,
        "condition": json.dumps(dict(rule.condition)),
        "query": rule.query,
        "priorities": ",".join(rule.priorities),
        "cap_minutes": rule.cap_minutes,
        "is_on": rule.is_on,
    }


def _rule(
    row: Any,
    channel_ids: Sequence[str],
    counted: tuple[int, datetime | None],
    budgets: Mapping[str, Budget],
) -> Rule:
    condition = json.loads(row.condition)
    values = {
        **row._mapping,
        "project_slug": row.slug,
        "condition": with_limit(condition, budgets),
        "priorities": tuple(filter(None, row.priorities.split(","))),
    }
    del values["slug"]
    if FOLLOWED in condition:
        budget = budgets[condition[FOLLOWED]]
        # A changed limit starts anew, as a changed condition does.
        since = max(row.since, budget.changed_at)
        values |= {"budget_id": budget.id, "budget_name": budget.name, "since": since}
    return Rule(**values, channel_ids=tuple(channel_ids), fired_count=counted[0], last_fired_at=counted[1])
