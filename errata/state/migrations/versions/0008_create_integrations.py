"""Create the tables of integrations and of issues linked elsewhere."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

MOMENT = sa.DateTime(timezone=True)
LINKED = sa.text("unlinked_at is null")


def upgrade() -> None:
    op.create_table(
        "integrations",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("base_url", sa.String(500), nullable=False),
        sa.Column("target", sa.String(250), nullable=False),
        sa.Column("account", sa.String(320), nullable=False),
        sa.Column("issue_type", sa.String(100), nullable=False),
        sa.Column("secret_id", sa.String(32), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.String(320), nullable=False),
        sa.Column("paused_until", MOMENT),
        sa.Column("removed_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_integrations"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_integrations_organization_id"
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_integrations_project_id"),
    )
    op.create_index("ix_integrations_project_id", "integrations", ["project_id"])
    op.create_table(
        "linked_issues",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("integration_id", sa.String(32), nullable=False),
        sa.Column("issue_id", sa.String(16), nullable=False),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("url", sa.String(1000), nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("problem", sa.String(500), nullable=False),
        sa.Column("fetched_at", MOMENT, nullable=False),
        sa.Column("linked_at", MOMENT, nullable=False),
        sa.Column("linked_by", sa.String(320), nullable=False),
        sa.Column("unlinked_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_linked_issues"),
        sa.ForeignKeyConstraint(
            ["integration_id"], ["integrations.id"], name="fk_linked_issues_integration_id"
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_linked_issues_project_id"),
    )
    op.create_index("ix_linked_issues_project_id", "linked_issues", ["project_id"])
    op.create_index(
        "uq_linked_issues_integration_id_key_issue_id",
        "linked_issues",
        ["integration_id", "key", "issue_id"],
        unique=True,
        sqlite_where=LINKED,
        postgresql_where=LINKED,
    )
