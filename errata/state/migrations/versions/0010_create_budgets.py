"""Create the table of performance budgets, and let firings of alert rules tell what was measured."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "budgets",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("metric", sa.String(32), nullable=False),
        sa.Column("statistic", sa.String(8), nullable=False),
        sa.Column("threshold", sa.Double, nullable=False),
        sa.Column("pattern", sa.String(200), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("device", sa.String(16), nullable=False),
        sa.Column("window_hours", sa.Integer, nullable=False),
        sa.Column("least_samples", sa.Integer, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.String(320), nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.Column("deleted_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_budgets"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_budgets_project_id"),
    )
    op.create_index("ix_budgets_project_id", "budgets", ["project_id"])
    op.add_column("alert_firings", sa.Column("outcome", sa.String(16), nullable=False, server_default=""))
    op.add_column("alert_firings", sa.Column("measured", sa.Double))
