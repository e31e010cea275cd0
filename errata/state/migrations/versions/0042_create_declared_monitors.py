"""Keep monitors that are declared in a configuration, with the times at which each held."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.create_table(
        "declared_monitors",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("slug", sa.String(50), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("declared_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("declared_by", sa.String(320), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_declared_monitors"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_declared_monitors_project_id"),
    )
    op.create_index("ix_declared_monitors_project_id", "declared_monitors", ["project_id"])
    op.create_index(
        "uq_declared_monitors_current",
        "declared_monitors",
        ["project_id", "slug", "environment"],
        unique=True,
        sqlite_where=sa.text("ended_at is null"),
        postgresql_where=sa.text("ended_at is null"),
    )
