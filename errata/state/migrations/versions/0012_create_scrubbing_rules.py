"""Create the rules by which projects add to what is filtered, and except from it."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "scrubbing_rules",
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(320), nullable=False),
        sa.PrimaryKeyConstraint("project_id", name="pk_scrubbing_rules"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_scrubbing_rules_project_id"),
    )
