"""Create the table of annotations that people write on charts."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "annotations",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("until", MOMENT),
        sa.Column("text", sa.String(120), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotations"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_annotations_project_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_annotations_user_id"),
    )
    op.create_index("ix_annotations_project_id_at", "annotations", ["project_id", "at"])
