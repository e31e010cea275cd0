"""Add the priorities that an alert rule is narrowed to."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("alert_rules", sa.Column("priorities", sa.String(32), nullable=False, server_default=""))
