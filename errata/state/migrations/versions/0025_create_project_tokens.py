"""Create the table of tokens for one purpose in one project."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "project_tokens",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("prefix", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.String(320), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT),
        sa.Column("last_used_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_project_tokens"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_project_tokens_project_id_projects"
        ),
        sa.UniqueConstraint("token_hash", name="uq_project_tokens_token_hash"),
    )
    op.create_index("ix_project_tokens_project_id", "project_tokens", ["project_id"])
