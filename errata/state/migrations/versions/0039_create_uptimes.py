"""Keep when the service was up: a job isn't missed that could not have told of itself."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    op.create_table(
        "uptimes",
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("alive_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("began_at", name="pk_uptimes"),
    )
