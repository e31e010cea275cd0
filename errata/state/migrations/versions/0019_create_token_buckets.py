"""Create the table of rates: a token bucket for each limit and sender that was seen lately."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "token_buckets",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("subject_hash", sa.String(64), nullable=False),
        sa.Column("tokens", sa.Double(), nullable=False),
        sa.Column("counted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("full_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", "subject_hash", name="pk_token_buckets"),
    )
    op.create_index("ix_token_buckets_full_at", "token_buckets", ["full_at"])
