"""The row of an alert rule, and its channels."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Dialect, ForeignKey, String, TypeDecorator
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Json, Table

# What the condition of a rule holds that follows a budget.
FOLLOWED = "budget_id"


class Words(TypeDecorator[tuple[str, ...]]):
    """Words separated by commas."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, dialect: Dialect) -> str:
        return ",".join(value or ())

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...]:
        return tuple(filter(None, (value or "").split(",")))


class Rule(Table):
    """Only events received after `since` can fire; those until `evaluated_until` have been evaluated. An
    issue must have one of the `priorities`; empty: any.

    `condition` is complete: that of a rule that follows a budget holds the limit that the budget has now.
    """

    __tablename__ = "alert_rules"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    kind: Mapped[str] = mapped_column(String(32))
    condition: Mapped[Mapping[str, Any]] = mapped_column(Json)
    query: Mapped[str]
    priorities: Mapped[tuple[str, ...]] = mapped_column(Words(32), server_default="")
    cap_minutes: Mapped[int]
    is_on: Mapped[bool]
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(320))
    evaluated_until: Mapped[datetime]
    since: Mapped[datetime]
    failure: Mapped[str] = mapped_column(String(200))
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)
    project_slug: str = ""
    channel_ids: tuple[str, ...] = ()
    fired_count: int = 0
    last_fired_at: datetime | None = None
    budget_id: str = ""
    """Of the budget that it follows."""
    budget_name: str = ""

    @property
    def stored_condition(self) -> dict[str, Any]:
        return {FOLLOWED: self.budget_id} if self.budget_id else dict(self.condition)


class RuleChannel(Table):
    __tablename__ = "alert_rule_channels"

    rule_id: Mapped[str] = mapped_column(ForeignKey("alert_rules.id"), primary_key=True)
    channel_id: Mapped[str] = mapped_column(ForeignKey("alert_channels.id"), primary_key=True)
