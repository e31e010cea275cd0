"""The tables of the state store, as the newest migration leaves them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from errata.state.table import Moment
from errata.state.table import Table as Base

metadata = Base.metadata

# The secret is a password, a signing key, or an address that is secret itself.
alert_channels = Table(
    "alert_channels",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("name", String(100), nullable=False),
    Column("settings", Text, nullable=False),
    Column("secret_id", String(32), nullable=False),
    Column("hourly_limit", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("deleted_at", Moment),
)

# Only events received after `since` fire; those until `evaluated_until` have been evaluated.
alert_rules = Table(
    "alert_rules",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("project_id", ForeignKey("projects.id"), nullable=False, index=True),
    Column("name", String(100), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("condition", Text, nullable=False),
    Column("query", Text, nullable=False),
    # Words separated by commas; empty: any.
    Column("priorities", String(32), nullable=False, server_default=""),
    Column("cap_minutes", Integer, nullable=False),
    Column("is_on", Boolean, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("created_by", String(320), nullable=False),
    Column("evaluated_until", Moment, nullable=False),
    Column("since", Moment, nullable=False),
    Column("failure", String(200), nullable=False),
    Column("deleted_at", Moment),
)

alert_rule_channels = Table(
    "alert_rule_channels",
    metadata,
    Column("rule_id", ForeignKey("alert_rules.id"), primary_key=True),
    Column("channel_id", ForeignKey("alert_channels.id"), primary_key=True),
)

# An episode fires once, even if two nodes run; `issue_id` is empty for all issues together.
alert_firings = Table(
    "alert_firings",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("rule_id", ForeignKey("alert_rules.id"), nullable=False),
    Column("issue_id", String(16), nullable=False),
    Column("episode", String(64), nullable=False),
    Column("fired_at", Moment, nullable=False),
    Column("found_at", Moment, nullable=False),
    Column("value", BigInteger, nullable=False),
    Column("title", String(300), nullable=False),
    Column("culprit", String(300), nullable=False),
    Column("outcome", String(16), nullable=False, server_default=""),
    Column("measured", Double),
    UniqueConstraint("rule_id", "issue_id", "episode"),
    Index("ix_alert_firings_rule_id_fired_at", "rule_id", "fired_at"),
)

# The outbox, and after sending the delivery log.
alert_messages = Table(
    "alert_messages",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("project_id", BigInteger, nullable=False),
    Column("channel_id", ForeignKey("alert_channels.id"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("subject", String(300), nullable=False),
    Column("content", Text, nullable=False),
    Column("recipient", String(300), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("status", String(16), nullable=False),
    Column("next_attempt_at", Moment, nullable=False),
    Column("attempt_count", Integer, nullable=False),
    Column("ended_at", Moment),
    Column("answer", String(300), nullable=False),
    Index("ix_alert_messages_status_next_attempt_at", "status", "next_attempt_at"),
    Index("ix_alert_messages_channel_id_created_at", "channel_id", "created_at"),
    Index("ix_alert_messages_project_id_created_at", "project_id", "created_at"),
)

# A notice for a channel; in no message yet while `message_id` is empty.
alert_notices = Table(
    "alert_notices",
    metadata,
    Column("firing_id", ForeignKey("alert_firings.id"), primary_key=True),
    Column("channel_id", ForeignKey("alert_channels.id"), primary_key=True),
    Column("message_id", String(32), nullable=False, index=True),
)

# Metric, pages or endpoints, and threshold: errata.budgets.limit.
budgets = Table(
    "budgets",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("project_id", ForeignKey("projects.id"), nullable=False, index=True),
    Column("name", String(100), nullable=False),
    Column("metric", String(32), nullable=False),
    Column("statistic", String(8), nullable=False),
    Column("threshold", Double, nullable=False),
    Column("pattern", String(200), nullable=False),
    Column("environment", String(64), nullable=False),
    Column("device", String(16), nullable=False),
    Column("window_hours", Integer, nullable=False),
    Column("least_samples", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("created_by", String(320), nullable=False),
    Column("changed_at", Moment, nullable=False),
    Column("deleted_at", Moment),
)

# A removed integration has no token, and its links stay as they were.
integrations = Table(
    "integrations",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("project_id", ForeignKey("projects.id"), nullable=False, index=True),
    Column("kind", String(16), nullable=False),
    Column("base_url", String(500), nullable=False),
    Column("target", String(250), nullable=False),
    Column("account", String(320), nullable=False),
    Column("issue_type", String(100), nullable=False),
    Column("secret_id", String(32), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("created_by", String(320), nullable=False),
    Column("paused_until", Moment),
    Column("removed_at", Moment),
)

# `issue_id` is the linked issue; the issue it is merged into is found upon reading.
linked_issues = Table(
    "linked_issues",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("project_id", ForeignKey("projects.id"), nullable=False, index=True),
    Column("integration_id", ForeignKey("integrations.id"), nullable=False),
    Column("issue_id", String(16), nullable=False),
    Column("key", String(100), nullable=False),
    Column("url", String(1000), nullable=False),
    Column("title", String(300), nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("status", String(100), nullable=False),
    Column("problem", String(500), nullable=False),
    Column("fetched_at", Moment, nullable=False),
    Column("linked_at", Moment, nullable=False),
    Column("linked_by", String(320), nullable=False),
    Column("unlinked_at", Moment),
    Index(
        "uq_linked_issues_integration_id_key_issue_id",
        "integration_id",
        "key",
        "issue_id",
        unique=True,
        sqlite_where=text("unlinked_at is null"),
        postgresql_where=text("unlinked_at is null"),
    ),
)

report_schedules = Table(
    "report_schedules",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("project_id", ForeignKey("projects.id"), nullable=False, index=True),
    Column("name", String(100), nullable=False),
    Column("weekday", String(16), nullable=False),
    Column("hour", Integer, nullable=False),
    Column("time_zone", String(64), nullable=False),
    Column("environment", String(64), nullable=False),
    Column("recipients", Text, nullable=False),
    Column("is_enabled", Boolean, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("created_by", String(320), nullable=False),
    Column("changed_at", Moment, nullable=False),
    Column("deleted_at", Moment),
)

# One a schedule and week: the first node to write it has the week.
report_mails = Table(
    "report_mails",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("schedule_id", ForeignKey("report_schedules.id"), nullable=False),
    Column("week", Date, nullable=False),
    Column("recipients", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("status", String(16), nullable=False),
    Column("next_attempt_at", Moment, nullable=False),
    Column("attempt_count", Integer, nullable=False),
    Column("ended_at", Moment),
    Column("answer", String(300), nullable=False),
    UniqueConstraint("schedule_id", "week"),
    Index("ix_report_mails_status_next_attempt_at", "status", "next_attempt_at"),
)

# What concerns a person. Of one `topic` only the latest unread one stays; `count` is that of issues.
notifications = Table(
    "notifications",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("project_id", ForeignKey("projects.id"), nullable=False, index=True),
    Column("kind", String(32), nullable=False),
    Column("topic", String(120), nullable=False),
    Column("at", Moment, nullable=False),
    Column("issue_id", String(16), nullable=False),
    Column("rule_id", String(32), nullable=False),
    Column("count", Integer, nullable=False),
    Column("actor", String(320), nullable=False),
    Column("title", String(300), nullable=False),
    Column("detail", String(300), nullable=False),
    Column("read_at", Moment),
    # When its mail is to be sent; NULL: it has none, or it was sent or given up.
    Column("mail_due_at", Moment, index=True),
    Column("mail_attempts", Integer, nullable=False, server_default="0"),
    UniqueConstraint("user_id", "topic", "at"),
    # An id is never used again: it is the cursor of pages, and the last one seen.
    sqlite_autoincrement=True,
)

# Who follows which issue. One of a merged issue counts for the issue it is part of.
subscriptions = Table(
    "subscriptions",
    metadata,
    Column("project_id", ForeignKey("projects.id"), primary_key=True),
    Column("issue_id", String(16), primary_key=True),
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("created_at", Moment, nullable=False),
)
