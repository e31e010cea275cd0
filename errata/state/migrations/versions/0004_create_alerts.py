"""Create alert rules, channels, firings and the messages that tell of them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

MOMENT = sa.DateTime(timezone=True)
ID = sa.String(32)


def upgrade() -> None:
    create_rules()
    create_firings()
    create_messages()


def create_rules() -> None:
    op.create_table(
        "alert_channels",
        sa.Column("id", ID, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("secret_id", ID, nullable=False),
        sa.Column("hourly_limit", sa.Integer, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("deleted_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_alert_channels"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_alert_channels_organization_id"
        ),
    )
    op.create_table(
        "alert_rules",
        sa.Column("id", ID, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("cap_minutes", sa.Integer, nullable=False),
        sa.Column("is_on", sa.Boolean, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.String(320), nullable=False),
        sa.Column("evaluated_until", MOMENT, nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("failure", sa.String(200), nullable=False),
        sa.Column("deleted_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_alert_rules"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_alert_rules_organization_id"
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_alert_rules_project_id"),
    )
    op.create_index("ix_alert_rules_project_id", "alert_rules", ["project_id"])
    op.create_table(
        "alert_rule_channels",
        sa.Column("rule_id", ID, nullable=False),
        sa.Column("channel_id", ID, nullable=False),
        sa.PrimaryKeyConstraint("rule_id", "channel_id", name="pk_alert_rule_channels"),
        sa.ForeignKeyConstraint(["rule_id"], ["alert_rules.id"], name="fk_alert_rule_channels_rule_id"),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["alert_channels.id"], name="fk_alert_rule_channels_channel_id"
        ),
    )


def create_firings() -> None:
    op.create_table(
        "alert_firings",
        sa.Column("id", ID, nullable=False),
        sa.Column("rule_id", ID, nullable=False),
        sa.Column("issue_id", sa.String(16), nullable=False),
        sa.Column("episode", sa.String(64), nullable=False),
        sa.Column("fired_at", MOMENT, nullable=False),
        sa.Column("found_at", MOMENT, nullable=False),
        sa.Column("value", sa.BigInteger, nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("culprit", sa.String(300), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_firings"),
        sa.ForeignKeyConstraint(["rule_id"], ["alert_rules.id"], name="fk_alert_firings_rule_id"),
        sa.UniqueConstraint("rule_id", "issue_id", "episode", name="uq_alert_firings_rule_id"),
    )
    op.create_index("ix_alert_firings_rule_id_fired_at", "alert_firings", ["rule_id", "fired_at"])


def create_messages() -> None:
    op.create_table(
        "alert_messages",
        sa.Column("id", ID, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("channel_id", ID, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("subject", sa.String(300), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("recipient", sa.String(300), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("next_attempt_at", MOMENT, nullable=False),
        sa.Column("attempt_count", sa.Integer, nullable=False),
        sa.Column("ended_at", MOMENT),
        sa.Column("answer", sa.String(300), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_messages"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_alert_messages_organization_id"
        ),
        sa.ForeignKeyConstraint(["channel_id"], ["alert_channels.id"], name="fk_alert_messages_channel_id"),
    )
    op.create_index(
        "ix_alert_messages_status_next_attempt_at", "alert_messages", ["status", "next_attempt_at"]
    )
    op.create_index("ix_alert_messages_channel_id_created_at", "alert_messages", ["channel_id", "created_at"])
    op.create_index("ix_alert_messages_project_id_created_at", "alert_messages", ["project_id", "created_at"])
    op.create_table(
        "alert_notices",
        sa.Column("firing_id", ID, nullable=False),
        sa.Column("channel_id", ID, nullable=False),
        sa.Column("message_id", ID, nullable=False),
        sa.PrimaryKeyConstraint("firing_id", "channel_id", name="pk_alert_notices"),
        sa.ForeignKeyConstraint(["firing_id"], ["alert_firings.id"], name="fk_alert_notices_firing_id"),
        sa.ForeignKeyConstraint(["channel_id"], ["alert_channels.id"], name="fk_alert_notices_channel_id"),
    )
    op.create_index("ix_alert_notices_message_id", "alert_notices", ["message_id"])
