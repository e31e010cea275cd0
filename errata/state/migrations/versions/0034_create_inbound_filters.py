"""Create the table of inbound filters that projects have turned on."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    op.create_table(
        "inbound_filters",
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("filters", sa.Text, nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(320), nullable=False),
        sa.PrimaryKeyConstraint("project_id", name="pk_inbound_filters"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_inbound_filters_project_id_projects"
        ),
    )
