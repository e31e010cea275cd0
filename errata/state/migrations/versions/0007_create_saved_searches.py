"""Create the table of saved searches."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "saved_searches",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("query", sa.String(2000), nullable=False),
        sa.Column("sort", sa.String(32), nullable=False),
        sa.Column("is_shared", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saved_searches"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_saved_searches_project_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_saved_searches_user_id"),
    )
    op.create_index("ix_saved_searches_project_id", "saved_searches", ["project_id"])
