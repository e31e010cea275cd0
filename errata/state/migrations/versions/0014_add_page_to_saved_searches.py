"""Add the kind of page that a saved search is of, so that views of performance are kept beside searches."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("saved_searches", sa.Column("page", sa.String(16), nullable=False, server_default="issues"))
