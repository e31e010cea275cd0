"""Create the table of share links."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "share_links",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("issue_id", sa.String(16), nullable=False),
        sa.Column("event_id", sa.String(32), nullable=False),
        sa.Column("since", MOMENT),
        sa.Column("until", MOMENT),
        sa.Column("with_user", sa.Boolean, nullable=False),
        sa.Column("with_values", sa.Boolean, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.String(320), nullable=False),
        sa.Column("expires_at", MOMENT),
        sa.Column("revoked_at", MOMENT),
        sa.Column("last_opened_at", MOMENT),
        sa.Column("opened_count", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_share_links"),
        sa.UniqueConstraint("token_hash", name="uq_share_links_token_hash"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_share_links_organization_id"
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_share_links_project_id"),
    )
    op.create_index("ix_share_links_project_id", "share_links", ["project_id"])
