"""Create the table of one-time links, by which people join and choose passwords."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "one_time_links",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.String(320), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_one_time_links"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_one_time_links_organization_id_organizations"
        ),
        sa.UniqueConstraint("token_hash", name="uq_one_time_links_token_hash"),
    )
    op.create_index("ix_one_time_links_email", "one_time_links", ["email"])
