"""Create the tables of two-step sign-in, and let an organization require it."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "totp",
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("secret_id", sa.String(32), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("turned_on_at", MOMENT),
        sa.Column("last_step", sa.BigInteger, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("user_id", name="pk_totp"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_totp_user_id_users"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_totp_organization_id_organizations"
        ),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("used_at", MOMENT),
        sa.PrimaryKeyConstraint("code_hash", name="pk_recovery_codes"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_recovery_codes_user_id_users"),
    )
    op.create_index("ix_recovery_codes_user_id", "recovery_codes", ["user_id"])
    op.create_table(
        "half_sign_ins",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("confirmed_at", MOMENT),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_half_sign_ins"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_half_sign_ins_user_id_users"),
    )
    op.create_index("ix_half_sign_ins_user_id", "half_sign_ins", ["user_id"])
    op.create_index("ix_half_sign_ins_expires_at", "half_sign_ins", ["expires_at"])
    op.add_column(
        "organizations",
        sa.Column("requires_two_steps", sa.Boolean, nullable=False, server_default=sa.false()),
    )
