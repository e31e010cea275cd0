"""Create the table of retentions of projects."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "retentions",
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("days", sa.Text, nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(320), nullable=False),
        sa.PrimaryKeyConstraint("project_id", name="pk_retentions"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_retentions_project_id_projects"),
    )
