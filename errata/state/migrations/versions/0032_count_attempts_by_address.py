"""Count sign-in attempts by address too, and keep the addresses that people signed in from."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    # Attempts count for five minutes.
    op.drop_table("sign_in_attempts")
    op.create_table(
        "sign_in_attempts",
        sa.Column("email_hash", sa.String(64), nullable=False),
        sa.Column("address_hash", sa.String(64), nullable=False),
        sa.Column("window_ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempt_count", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("email_hash", "address_hash", name="pk_sign_in_attempts"),
    )
    op.create_table(
        "sign_in_addresses",
        sa.Column("email_hash", sa.String(64), nullable=False),
        sa.Column("address_hash", sa.String(64), nullable=False),
        sa.Column("signed_in_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("email_hash", "address_hash", name="pk_sign_in_addresses"),
    )
