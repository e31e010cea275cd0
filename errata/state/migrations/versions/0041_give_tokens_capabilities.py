"""A token had one purpose; it has capabilities, as a JSON list."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    with op.batch_alter_table("project_tokens") as table:
        table.add_column(sa.Column("capabilities", sa.Text, nullable=False, server_default="[]"))
    op.execute("update project_tokens set capabilities = '[\"' || purpose || '\"]'")
    with op.batch_alter_table("project_tokens") as table:
        table.alter_column("capabilities", server_default=None)
        table.drop_column("purpose")
