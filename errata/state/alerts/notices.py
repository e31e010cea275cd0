"""Notices: firings not yet sent to a channel."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from errata.state.alerts.followed_budgets import followed, with_limit
from errata.state.budgets import Budget
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.tables import alert_channels, alert_firings, alert_notices, alert_rules

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


class AlertNotices(Repository):
    def channels(self) -> list[tuple[int, str]]:
        """Organization and id of each channel with notices in no message yet."""
        query = (
            select(alert_channels.c.organization_id, alert_channels.c.id)
            .join(alert_notices, alert_notices.c.channel_id == alert_channels.c.id)
            .where(alert_notices.c.message_id == "", alert_channels.c.deleted_at.is_(None))
            .distinct()
        )
        with self._database.reading() as connection:
            return [(row.organization_id, row.id) for row in connection.execute(query)]

    def of_channel(self, channel_id: str) -> list[Notice]:
        """The notices in no message yet, the oldest first."""
        query = (
            select(
                alert_firings.c.id.label("firing_id"),
                alert_rules.c.id.label("rule_id"),
                alert_rules.c.name.label("rule_name"),
                alert_rules.c.kind,
                alert_rules.c.condition,
                alert_rules.c.query,
                alert_rules.c.priorities,
                alert_rules.c.project_id,
                ProjectRow.slug.label("project_slug"),
                ProjectRow.name.label("project_name"),
                alert_firings.c.issue_id,
                alert_firings.c.fired_at,
                alert_firings.c.found_at,
                alert_firings.c.value,
                alert_firings.c.title,
                alert_firings.c.culprit,
                alert_firings.c.outcome,
                alert_firings.c.measured,
            )
            .join(alert_notices, alert_notices.c.firing_id == alert_firings.c.id)
            .join(alert_rules, alert_rules.c.id == alert_firings.c.rule_id)
            .join(ProjectRow, ProjectRow.id == alert_rules.c.project_id)
            .where(alert_notices.c.channel_id == channel_id, alert_notices.c.message_id == "")
            .order_by(alert_firings.c.found_at, alert_firings.c.fired_at, alert_firings.c.id)
            .limit(NOTICES_A_MESSAGE)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
            budgets = followed(connection, [json.loads(row.condition) for row in rows])
        return [_notice(row, budgets) for row in rows]


def _notice(row: Any, budgets: Mapping[str, Budget]) -> Notice:
    priorities = tuple(filter(None, row.priorities.split(",")))
    condition = with_limit(json.loads(row.condition), budgets)
    return Notice(**{**row._mapping, "condition": condition, "priorities": priorities})
