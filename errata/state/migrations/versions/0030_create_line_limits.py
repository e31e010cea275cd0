"""Create the table of lines that projects and services can deliver per minute."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.create_table(
        "line_limits",
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("service", sa.String(32), nullable=False),
        sa.Column("lines_per_minute", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(320), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "service", name="pk_line_limits"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_line_limits_project_id_projects"),
    )
