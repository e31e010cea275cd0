"""Add when a user was removed: the row stays, since annotations and shared searches name their author."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("users", sa.Column("removed_at", sa.DateTime(timezone=True)))
