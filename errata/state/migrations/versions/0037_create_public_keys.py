"""Let application keys be public, and projects name the web origins that may send with them."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"

CURRENT = sa.text("replaced_at is null and revoked_at is null")
INDEX = "uq_app_keys_project_id_service_current"


def upgrade() -> None:
    op.add_column("app_keys", sa.Column("is_public", sa.Boolean, nullable=False, server_default=sa.false()))
    op.drop_index(INDEX, "app_keys")
    op.create_index(
        INDEX,
        "app_keys",
        ["project_id", "service", "is_public"],
        unique=True,
        sqlite_where=CURRENT,
        postgresql_where=CURRENT,
    )
    op.create_table(
        "allowed_origins",
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("origins", sa.Text, nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(320), nullable=False),
        sa.PrimaryKeyConstraint("project_id", name="pk_allowed_origins"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_allowed_origins_project_id_projects"
        ),
    )
