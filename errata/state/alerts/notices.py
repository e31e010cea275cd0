"""Notices: firings not yet sent to a channel."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from errata.state.alerts.channel import Channel
from errata.state.alerts.firings import Firing
from errata.state.alerts.followed_budgets import followed, with_limit
from errata.state.alerts.notice import NoticeRow
from errata.state.alerts.rule import Rule
from errata.state.project import ProjectRow
from errata.state.repository import Repository

NOTICES_A_MESSAGE = 5_000


@dataclass(frozen=True)
class Notice:
    """One firing not yet sent to a channel."""

    firing_id: str
    rule_id: str
    rule_name: str
    kind: str
    condition: Mapping[str, Any]
    query: str
    priorities: tuple[str, ...]
    project_id: int
    project_slug: str
    project_name: str
    issue_id: str
    fired_at: datetime
    found_at: datetime
    value: int
    title: str
    culprit: str
    outcome: str = ""
    measured: float | None = None
    monitor_slug: str = ""
    environment: str = ""


class AlertNotices(Repository):
    def channels(self) -> list[tuple[int, str]]:
        """Organization and id of each channel with notices in no message yet."""
        query = (
            select(Channel.organization_id, Channel.id)
            .join(NoticeRow, NoticeRow.channel_id == Channel.id)
            .where(NoticeRow.message_id == "", Channel.deleted_at.is_(None))
            .distinct()
        )
        with self._database.reading() as connection:
            return [(row.organization_id, row.id) for row in connection.execute(query)]

    def of_channel(self, channel_id: str) -> list[Notice]:
        """The notices in no message yet, the oldest first."""
        query = (
            select(
                Firing.id.label("firing_id"),
                Rule.id.label("rule_id"),
                Rule.name.label("rule_name"),
                Rule.kind,
                Rule.condition,
                Rule.query,
                Rule.priorities,
                Rule.project_id,
                ProjectRow.slug.label("project_slug"),
                ProjectRow.name.label("project_name"),
                Firing.issue_id,
                Firing.fired_at,
                Firing.found_at,
                Firing.value,
                Firing.title,
                Firing.culprit,
                Firing.outcome,
                Firing.measured,
                Firing.monitor_slug,
                Firing.environment,
            )
            .join(NoticeRow, NoticeRow.firing_id == Firing.id)
            .join(Rule, Rule.id == Firing.rule_id)
            .join(ProjectRow, ProjectRow.id == Rule.project_id)
            .where(NoticeRow.channel_id == channel_id, NoticeRow.message_id == "")
            .order_by(Firing.found_at, Firing.fired_at, Firing.id)
            .limit(NOTICES_A_MESSAGE)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
            budgets = followed(connection, [row.condition for row in rows])
        return [Notice(**{**row._mapping, "condition": with_limit(row.condition, budgets)}) for row in rows]
