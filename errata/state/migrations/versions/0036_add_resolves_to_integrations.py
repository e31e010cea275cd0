"""Let a tracker resolve issues: what is closed there is resolved here."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    op.add_column(
        "integrations", sa.Column("resolves", sa.Boolean, nullable=False, server_default=sa.false())
    )
