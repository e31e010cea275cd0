"""Keep which shard of the warehouse a project is on, and which shards there are."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    op.create_table(
        "shards",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_shards"),
    )
    op.add_column("projects", sa.Column("shard", sa.Integer, nullable=False, server_default="1"))
    op.add_column("projects", sa.Column("left_shard", sa.Integer))
    op.add_column("projects", sa.Column("moved_at", sa.DateTime(timezone=True)))
    op.add_column("projects", sa.Column("held_at", sa.DateTime(timezone=True)))
