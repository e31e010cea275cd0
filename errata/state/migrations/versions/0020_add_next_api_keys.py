"""Add next API keys, sealed keys that can be viewed again, and when the user of a session last gave the
password."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

MOMENT = sa.DateTime(timezone=True)
CURRENT = sa.text("revoked_at is null and activated_at is not null")
NEXT = sa.text("revoked_at is null and activated_at is null")


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("activated_at", MOMENT))
    # Empty for a key of before: it was kept as a hash alone.
    op.add_column("api_keys", sa.Column("sealed_id", sa.String(32), nullable=False, server_default=""))
    op.add_column("app_keys", sa.Column("sealed_id", sa.String(32), nullable=False, server_default=""))
    op.add_column("web_sessions", sa.Column("confirmed_at", MOMENT))
    op.execute("update api_keys set activated_at = created_at")
    op.drop_index("uq_api_keys_organization_id_current", "api_keys")
    for name, condition in (("current", CURRENT), ("next", NEXT)):
        op.create_index(
            f"uq_api_keys_organization_id_{name}",
            "api_keys",
            ["organization_id"],
            unique=True,
            sqlite_where=condition,
            postgresql_where=condition,
        )
