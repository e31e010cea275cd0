"""Create the tables of reports that are sent every week, and of what was sent."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "report_schedules",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("weekday", sa.String(16), nullable=False),
        sa.Column("hour", sa.Integer, nullable=False),
        sa.Column("time_zone", sa.String(64), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("recipients", sa.Text, nullable=False),
        sa.Column("is_enabled", sa.Boolean, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.String(320), nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.Column("deleted_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_report_schedules"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_report_schedules_project_id"),
    )
    op.create_index("ix_report_schedules_project_id", "report_schedules", ["project_id"])
    op.create_table(
        "report_mails",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("schedule_id", sa.String(32), nullable=False),
        sa.Column("week", sa.Date, nullable=False),
        sa.Column("recipients", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("next_attempt_at", MOMENT, nullable=False),
        sa.Column("attempt_count", sa.Integer, nullable=False),
        sa.Column("ended_at", MOMENT),
        sa.Column("answer", sa.String(300), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_report_mails"),
        sa.ForeignKeyConstraint(["schedule_id"], ["report_schedules.id"], name="fk_report_mails_schedule_id"),
        sa.UniqueConstraint("schedule_id", "week", name="uq_report_mails_schedule_id"),
    )
    op.create_index("ix_report_mails_status_next_attempt_at", "report_mails", ["status", "next_attempt_at"])
