"""Create the table of the duties that one of all nodes runs."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "duties",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("holder", sa.String(100), nullable=False),
        sa.Column("held_until", MOMENT, nullable=False),
        sa.Column("ran_at", MOMENT),
        sa.Column("took_ms", sa.Integer, nullable=False),
        sa.Column("run_count", sa.BigInteger, nullable=False),
        sa.Column("failure_count", sa.BigInteger, nullable=False),
        sa.Column("failed_at", MOMENT),
        sa.Column("failure", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_duties"),
    )
