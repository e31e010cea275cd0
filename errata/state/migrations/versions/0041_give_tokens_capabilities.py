"""A token had one purpose; it has capabilities, as a JSON list."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    with op.batch_alter_table("project_tokens") as table:
        table.add_column(sa.Column("capabilities", sa.Text, nullable=False, server_default="[]"))
    tokens = sa.table("project_tokens", sa.column("purpose", sa.Text), sa.column("capabilities", sa.Text))
    op.execute(tokens.update().values(capabilities=sa.literal('["') + tokens.c.purpose + sa.literal('"]')))
    with op.batch_alter_table("project_tokens") as table:
        table.alter_column("capabilities", server_default=None)
        table.drop_column("purpose")
