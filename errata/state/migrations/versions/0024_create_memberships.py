"""Let a person belong to several organizations, each with a role, and to all projects or to chosen ones."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "memberships",
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("has_all_projects", sa.Boolean, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("removed_at", MOMENT),
        sa.PrimaryKeyConstraint("user_id", "organization_id", name="pk_memberships"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_memberships_user_id_users"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_memberships_organization_id_organizations"
        ),
    )
    op.create_index("ix_memberships_organization_id", "memberships", ["organization_id"])
    op.create_table(
        "project_memberships",
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "project_id", name="pk_project_memberships"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_project_memberships_user_id_users"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_project_memberships_project_id_projects"
        ),
    )
    op.execute(
        "insert into memberships (user_id, organization_id, role, has_all_projects, created_at, removed_at)"
        " select id, organization_id, role, true, created_at, removed_at from users"
    )
    op.drop_column("users", "role")
    op.drop_column("users", "removed_at")
    op.add_column("one_time_links", sa.Column("project_ids", sa.Text, nullable=False, server_default=""))
    op.add_column("web_sessions", sa.Column("organization_id", sa.Integer))
    op.execute(
        "update web_sessions set organization_id ="
        " (select organization_id from users where users.id = web_sessions.user_id)"
    )
    with op.batch_alter_table("web_sessions") as batch:
        batch.alter_column("organization_id", existing_type=sa.Integer(), nullable=False)
        batch.create_foreign_key(
            "fk_web_sessions_organization_id_organizations", "organizations", ["organization_id"], ["id"]
        )
