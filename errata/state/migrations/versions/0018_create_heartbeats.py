"""Create the table of the pipelines' heartbeats, a row for each host."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "heartbeats",
        sa.Column("host", sa.String(200), nullable=False),
        sa.Column("alive_at", MOMENT, nullable=False),
        sa.Column("built_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("host", name="pk_heartbeats"),
    )
