"""Create organizations, users, projects, keys, sessions and the activity log."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    create_accounts()
    create_keys()
    create_sessions()
    op.create_table(
        "activity_log",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("actor", sa.String(320), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("key_prefix", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_activity_log"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_activity_log_organization_id"
        ),
    )
    op.create_index("ix_activity_log_organization_id_id", "activity_log", ["organization_id", "id"])


def create_accounts() -> None:
    op.create_table(
        "organizations",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_organizations"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("password_hash", sa.String(200), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email", name="uq_users_email"),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], name="fk_users_organization_id"),
    )
    op.create_index("ix_users_organization_id", "users", ["organization_id"])
    op.create_table(
        "projects",
        sa.Column("id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("slug", sa.String(64), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("platform", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("deleted_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_projects_organization_id"
        ),
    )
    create_unique_among(
        "uq_projects_organization_id_slug", "projects", ["organization_id", "slug"], "deleted_at is null"
    )


def create_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("organization_id", sa.Integer, nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False),
        sa.Column("prefix", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT),
        sa.Column("last_used_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("key_hash", name="uq_api_keys_key_hash"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_api_keys_organization_id"
        ),
    )
    create_unique_among(
        "uq_api_keys_organization_id_current", "api_keys", ["organization_id"], "revoked_at is null"
    )
    op.create_table(
        "app_keys",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("service", sa.String(32), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False),
        sa.Column("prefix", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("replaced_at", MOMENT),
        sa.Column("revoked_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_app_keys"),
        sa.UniqueConstraint("key_hash", name="uq_app_keys_key_hash"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_app_keys_project_id"),
    )
    create_unique_among(
        "uq_app_keys_project_id_service_current",
        "app_keys",
        ["project_id", "service"],
        "replaced_at is null and revoked_at is null",
    )


def create_sessions() -> None:
    op.create_table(
        "web_sessions",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("csrf_token", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_web_sessions"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_web_sessions_user_id"),
    )
    op.create_index("ix_web_sessions_user_id", "web_sessions", ["user_id"])
    op.create_index("ix_web_sessions_expires_at", "web_sessions", ["expires_at"])
    op.create_table(
        "sign_in_attempts",
        sa.Column("email_hash", sa.String(64), nullable=False),
        sa.Column("window_ends_at", MOMENT, nullable=False),
        sa.Column("attempt_count", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("email_hash", name="pk_sign_in_attempts"),
    )


def create_unique_among(name: str, table: str, columns: list[str], condition: str) -> None:
    op.create_index(
        name,
        table,
        columns,
        unique=True,
        sqlite_where=sa.text(condition),
        postgresql_where=sa.text(condition),
    )
