"""Rename the table of background jobs, which was called duties."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.rename_table("duties", "jobs")
