"""Create the table of subscriptions to issues, and mail what followers hear."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "subscriptions",
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("issue_id", sa.String(16), nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("project_id", "issue_id", "user_id", name="pk_subscriptions"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_subscriptions_project_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_subscriptions_user_id"),
    )
    op.add_column("notifications", sa.Column("mail_due_at", MOMENT))
    op.add_column("notifications", sa.Column("mail_attempts", sa.Integer, nullable=False, server_default="0"))
    op.create_index("ix_notifications_mail_due_at", "notifications", ["mail_due_at"])
