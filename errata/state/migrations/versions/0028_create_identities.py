"""Create the tables of single sign-on: identities of people at the provider, and sign-ins that are there."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(500), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_identities"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_identities_user_id_users"),
        # Whoever has the address of someone who left the provider is not them.
        sa.UniqueConstraint("user_id", "issuer", name="uq_identities_user_id"),
    )
    op.create_table(
        "provider_sign_ins",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("destination", sa.String(2000), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_provider_sign_ins"),
    )
    op.create_index("ix_provider_sign_ins_expires_at", "provider_sign_ins", ["expires_at"])
