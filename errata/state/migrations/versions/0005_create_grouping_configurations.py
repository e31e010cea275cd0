"""Create the configurations of grouping; a project that exists begins with version 1 and no rules."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "grouping_configurations",
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("fingerprint_version", sa.Integer, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.String(320), nullable=False),
        sa.Column("applied_at", MOMENT),
        sa.Column("applied_by", sa.String(320), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "number", name="pk_grouping_configurations"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_grouping_configurations_project_id"
        ),
    )
    for state in ("active", "draft"):
        op.create_index(
            f"uq_grouping_configurations_project_id_{state}",
            "grouping_configurations",
            ["project_id"],
            unique=True,
            sqlite_where=sa.text(f"state = '{state}'"),
            postgresql_where=sa.text(f"state = '{state}'"),
        )
    op.execute(
        "insert into grouping_configurations (project_id, number, fingerprint_version, rules, state,"
        " created_at, created_by, applied_at, applied_by)"
        " select id, 1, 1, '', 'active', created_at, '', created_at, '' from projects"
    )
