"""Alert rules of projects, and what of each has fired."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.errors import AlertRuleNotFound
from errata.state.repository import Repository
from errata.state.tables import (
    alert_channels,
    alert_firings,
    alert_notices,
    alert_rule_channels,
    alert_rules,
    projects,
)

# Below every database's limit of parameters in one statement.
ISSUES_A_READ = 500


@dataclass(frozen=True)
class NewRule:
    """`condition` are the numbers of its kind; `query` chooses the events, in the language of searches.

    `priorities` are those an issue must have one of; empty: any.
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
    """Only what arrives after `since` can fire; until `evaluated_until` that was looked at."""

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


@dataclass(frozen=True)
class Found:
    """One episode that a rule found; `issue_id` is empty where it is about all issues together, or none.

    Of a budget `outcome` says in which direction it went, `measured` the figure, `value` its samples.
    """

    issue_id: str
    episode: str
    fired_at: datetime
    value: int = 0
    title: str = ""
    culprit: str = ""
    outcome: str = ""
    measured: float | None = None


COLUMNS = (
    *(alert_rules.c[name] for name in ("id", "organization_id", "project_id")),
    projects.c.slug,
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
    .join(projects, projects.c.id == alert_rules.c.project_id)
    .where(alert_rules.c.deleted_at.is_(None), projects.c.deleted_at.is_(None))
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
        """Of all organizations, for the job that evaluates them."""
        with self._database.reading() as connection:
            return self._rules(connection, alert_rules.c.is_on.is_(True))

    def create(self, organization_id: int, slug: str, new: NewRule, *, actor: str) -> Rule:
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug)
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
        """What is looked for begins anew where more than the name, the channels or the cap changes."""
        with self._database.writing() as connection:
            before = self._rule(connection, organization_id, slug, rule_id)
            values = _values(changed)
            is_other = (before.kind, before.condition, before.query, before.priorities) != (
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

    def last_firings(self, rule_id: str, issues: Sequence[str], since: datetime) -> dict[str, datetime]:
        """Of these issues, when the rule fired last, if that was not before `since`."""
        found: dict[str, datetime] = {}
        with self._database.reading() as connection:
            for start in range(0, len(issues), ISSUES_A_READ):
                query = (
                    select(alert_firings.c.issue_id, func.max(alert_firings.c.fired_at))
                    .where(
                        alert_firings.c.rule_id == rule_id,
                        alert_firings.c.fired_at >= since,
                        alert_firings.c.issue_id.in_(issues[start : start + ISSUES_A_READ]),
                    )
                    .group_by(alert_firings.c.issue_id)
                )
                found |= {row[0]: row[1] for row in connection.execute(query)}
        return found

    def last_outcome(self, rule_id: str, since: datetime) -> tuple[datetime, str] | None:
        """When the rule of a budget told of it last after `since`, and what."""
        query = (
            select(alert_firings.c.fired_at, alert_firings.c.outcome)
            .where(alert_firings.c.rule_id == rule_id, alert_firings.c.fired_at > since)
            .order_by(alert_firings.c.fired_at.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.fired_at, row.outcome)

    def known_episodes(self, rule_id: str, episodes: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
        """Of these issues and episodes, those that the rule has fired for."""
        wanted, known = set(episodes), set[tuple[str, str]]()
        issues = sorted({issue_id for issue_id, _episode in episodes})
        with self._database.reading() as connection:
            for start in range(0, len(issues), ISSUES_A_READ):
                query = select(alert_firings.c.issue_id, alert_firings.c.episode).where(
                    alert_firings.c.rule_id == rule_id,
                    alert_firings.c.issue_id.in_(issues[start : start + ISSUES_A_READ]),
                )
                known |= {(issue_id, episode) for issue_id, episode in connection.execute(query)}
        return known & wanted

    def fire(self, rule: Rule, found: Sequence[Found], evaluated_until: datetime) -> int:
        """All of it in one transaction, or nothing where another node was faster: how many fired."""
        now = self._database.now()
        try:
            with self._database.writing() as connection:
                for each in found:
                    firing_id = uuid4().hex
                    connection.execute(
                        insert(alert_firings).values(
                            id=firing_id,
                            rule_id=rule.id,
                            issue_id=each.issue_id,
                            episode=each.episode,
                            fired_at=each.fired_at,
                            found_at=now,
                            value=each.value,
                            title=each.title[:300],
                            culprit=each.culprit[:300],
                            outcome=each.outcome,
                            measured=each.measured,
                        )
                    )
                    for channel_id in rule.channel_ids:
                        connection.execute(
                            insert(alert_notices).values(
                                firing_id=firing_id, channel_id=channel_id, message_id=""
                            )
                        )
                connection.execute(
                    update(alert_rules)
                    .where(alert_rules.c.id == rule.id, alert_rules.c.evaluated_until < evaluated_until)
                    .values(evaluated_until=evaluated_until, failure="")
                )
        except IntegrityError:
            return 0
        return len(found)

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
        return [_rule(row, channels.get(row.id, []), counts.get(row.id, (0, None))) for row in rows]


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


def _rule(row: Any, channel_ids: Sequence[str], counted: tuple[int, datetime | None]) -> Rule:
    values = {
        **row._mapping,
        "project_slug": row.slug,
        "condition": json.loads(row.condition),
        "priorities": tuple(filter(None, row.priorities.split(","))),
    }
    del values["slug"]
    return Rule(**values, channel_ids=tuple(channel_ids), fired_count=counted[0], last_fired_at=counted[1])
