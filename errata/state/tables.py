"""The tables of the state store, as the newest migration leaves them."""

from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """A moment in UTC: SQLite keeps no zone, PostgreSQL answers in the session's."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


organizations = Table(
    "organizations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("created_at", Moment, nullable=False),
)

users = Table(
    "users",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False, index=True),
    Column("email", String(320), nullable=False, unique=True),
    Column("password_hash", String(200), nullable=False),
    Column("role", String(16), nullable=False),
    Column("created_at", Moment, nullable=False),
)

# A deleted project keeps its row, so that its id never comes back: rows in the warehouse carry it.
projects = Table(
    "projects",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("slug", String(64), nullable=False),
    Column("name", String(200), nullable=False),
    Column("platform", String(64), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("deleted_at", Moment),
    Index(
        "uq_projects_organization_id_slug",
        "organization_id",
        "slug",
        unique=True,
        sqlite_where=text("deleted_at is null"),
        postgresql_where=text("deleted_at is null"),
    ),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("key_hash", String(64), nullable=False, unique=True),
    Column("prefix", String(64), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("revoked_at", Moment),
    Column("last_used_at", Moment),
    Index(
        "uq_api_keys_organization_id_current",
        "organization_id",
        unique=True,
        sqlite_where=text("revoked_at is null"),
        postgresql_where=text("revoked_at is null"),
    ),
)

# `service` is empty for the key of the whole project.
app_keys = Table(
    "app_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", ForeignKey("projects.id"), nullable=False),
    Column("service", String(32), nullable=False),
    Column("key_hash", String(64), nullable=False, unique=True),
    Column("prefix", String(64), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("replaced_at", Moment),
    Column("revoked_at", Moment),
    Index(
        "uq_app_keys_project_id_service_current",
        "project_id",
        "service",
        unique=True,
        sqlite_where=text("replaced_at is null and revoked_at is null"),
        postgresql_where=text("replaced_at is null and revoked_at is null"),
    ),
)

web_sessions = Table(
    "web_sessions",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False, index=True),
    Column("csrf_token", String(64), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False, index=True),
)

# Counted by e-mail as typed, known or not: a limit on known ones alone would tell who has an account.
sign_in_attempts = Table(
    "sign_in_attempts",
    metadata,
    Column("email_hash", String(64), primary_key=True),
    Column("window_ends_at", Moment, nullable=False),
    Column("attempt_count", Integer, nullable=False),
)

# Tokens of other services, encrypted; whoever needs one keeps its id.
sealed_secrets = Table(
    "sealed_secrets",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("purpose", String(32), nullable=False),
    Column("sealed", Text, nullable=False),
    Column("ending", String(8), nullable=False),
    Column("created_at", Moment, nullable=False),
)

# What the watch does, whoever holds it now, and how it went last.
duties = Table(
    "duties",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("holder", String(100), nullable=False),
    Column("held_until", Moment, nullable=False),
    Column("ran_at", Moment),
    Column("took_ms", Integer, nullable=False),
    Column("run_count", BigInteger, nullable=False),
    Column("failure_count", BigInteger, nullable=False),
    Column("failed_at", Moment),
    Column("failure", String(200), nullable=False),
)

activity_log = Table(
    "activity_log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("at", Moment, nullable=False),
    Column("action", String(32), nullable=False),
    Column("actor", String(320), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("key_prefix", String(64), nullable=False),
    Index("ix_activity_log_organization_id_id", "organization_id", "id"),
)
