"""Let a share link show a replay."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.add_column("share_links", sa.Column("replay_id", sa.String(32), nullable=False, server_default=""))
