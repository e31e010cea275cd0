"""Add the time zone that a user sees moments in."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("users", sa.Column("time_zone", sa.String(64), nullable=False, server_default="UTC"))
