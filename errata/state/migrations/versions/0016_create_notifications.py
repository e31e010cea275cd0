"""Create the table of notifications of people."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "notifications",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("topic", sa.String(120), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("issue_id", sa.String(16), nullable=False),
        sa.Column("rule_id", sa.String(32), nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("actor", sa.String(320), nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("detail", sa.String(300), nullable=False),
        sa.Column("read_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_notifications"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_notifications_user_id"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_notifications_project_id"),
        sa.UniqueConstraint("user_id", "topic", "at", name="uq_notifications_user_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notifications_project_id", "notifications", ["project_id"])
