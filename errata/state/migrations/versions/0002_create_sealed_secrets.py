"""Create the table of sealed secrets."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "sealed_secrets",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("purpose", sa.String(32), nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("ending", sa.String(8), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sealed_secrets"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_sealed_secrets_organization_id"
        ),
    )
