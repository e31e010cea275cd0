"""Tokens of one project, each with its capabilities, until they expire: for programs that must not hold the
API key."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Dialect, bindparam, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.errors import InvalidParameter
from errata.one_line import checked_name
from errata.state.activity_actions import Action
from errata.state.capability import Capability
from errata.state.errors import ProjectTokenNotFound
from errata.state.keys import RANDOM_LENGTH, TOKEN_PREFIX, generate_project_token, shown_prefix
from errata.state.organization import Organization
from errata.state.project import ProjectRow
from errata.state.table import Json, objects
from errata.state.used_keys import Used, UsedKey, UsedKeys

LONGEST_NAME = 100
LONGEST_DAYS = 366


class Capabilities(Json):
    """In the order of the enumeration."""

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> tuple[Capability, ...]:
        return tuple(Capability(each) for each in super().process_result_value(value, dialect))


class ProjectToken(UsedKey):
    __tablename__ = "project_tokens"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    capabilities: Mapped[tuple[Capability, ...]] = mapped_column(Capabilities)
    name: Mapped[str] = mapped_column(String(100))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True, repr=False)
    created_by: Mapped[str] = mapped_column(String(320))
    expires_at: Mapped[datetime]


@dataclass(frozen=True)
class CreatedProjectToken:
    """`text` is shown once and stored nowhere."""

    token: ProjectToken
    text: str


@dataclass(frozen=True)
class TokenHolder:
    organization_id: int
    organization: str
    project_id: int
    slug: str
    capabilities: tuple[Capability, ...]
    prefix: str


HOLDER = (
    select(
        ProjectToken.id,
        ProjectToken.capabilities,
        ProjectToken.prefix,
        ProjectToken.last_used_at,
        ProjectRow.id.label("project_id"),
        ProjectRow.slug,
        Organization.id.label("organization_id"),
        Organization.name.label("organization"),
    )
    .join(ProjectRow, ProjectRow.id == ProjectToken.project_id)
    .join(Organization, Organization.id == ProjectRow.organization_id)
    .where(
        ProjectToken.token_hash == bindparam("token_hash"),
        ProjectToken.revoked_at.is_(None),
        ProjectToken.expires_at > bindparam("now"),
        ProjectRow.deleted_at.is_(None),
    )
)


class ProjectTokens(UsedKeys):
    def find(self, text: str) -> TokenHolder | None:
        """Who holds the token. Read each time: a revoked one must fail at once, on every node."""
        if not text.startswith(TOKEN_PREFIX) or len(text) != len(TOKEN_PREFIX) + RANDOM_LENGTH:
            return None
        now = self._database.now()
        with self._database.reading() as connection:
            row = connection.execute(HOLDER, {"token_hash": self._hash(text), "now": now}).one_or_none()
        if row is None:
            return None
        holder = TokenHolder(
            row.organization_id, row.organization, row.project_id, row.slug, row.capabilities, row.prefix
        )
        key = Used(
            row.id, row.organization_id, row.last_used_at, f"access token {row.prefix}…", row.prefix, row.slug
        )
        self._note_use(ProjectToken, key, Action.PROJECT_TOKEN_USED, Action.PROJECT_TOKEN_LAST_USED)
        return holder

    def of_project(self, organization_id: int, slug: str) -> list[ProjectToken]:
        """Those that still work, the newest first."""
        query = select(ProjectToken).where(*self._works()).order_by(ProjectToken.id.desc())
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            return objects(
                ProjectToken, connection.execute(query.where(ProjectToken.project_id == project_id))
            )

    def create(
        self,
        organization_id: int,
        slug: str,
        capabilities: Collection[Capability],
        name: str,
        days: int,
        *,
        actor: str,
    ) -> CreatedProjectToken:
        """A token that works for so many days. Raises InvalidParameter and ProjectNotFound."""
        name = checked_name(name, LONGEST_NAME)
        if not capabilities:
            raise InvalidParameter("capabilities", "a token needs at least one")
        given = tuple(each for each in Capability if each in capabilities)
        if not 1 <= days <= LONGEST_DAYS:
            raise InvalidParameter("days", f"must be 1 to {LONGEST_DAYS}")
        text, now = generate_project_token(), self._database.now()
        prefix, expires_at = shown_prefix(text), (now + timedelta(days=days)).replace(microsecond=0)
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            new = (
                insert(ProjectToken)
                .values(
                    project_id=project_id,
                    capabilities=given,
                    name=name,
                    token_hash=self._hash(text),
                    prefix=prefix,
                    created_at=now,
                    created_by=actor,
                    expires_at=expires_at,
                )
                .returning(ProjectToken)
            )
            [token] = objects(ProjectToken, connection.execute(new))
            subject = f"{slug}: {' '.join(given)}, {name}"
            self._record(
                connection,
                organization_id,
                Action.PROJECT_TOKEN_CREATED,
                actor=actor,
                subject=subject,
                key_prefix=prefix,
            )
        return CreatedProjectToken(token, text)

    def revoke(self, organization_id: int, slug: str, token_id: int, *, actor: str) -> None:
        """Requests with it fail from this moment. Raises ProjectTokenNotFound, also for an ended one."""
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            row = connection.execute(
                update(ProjectToken)
                .where(
                    ProjectToken.id == token_id,
                    ProjectToken.project_id == project_id,
                    *self._works(),
                )
                .values(revoked_at=self._database.now())
                .returning(ProjectToken.prefix, ProjectToken.name)
            ).one_or_none()
            if row is None:
                raise ProjectTokenNotFound
            self._record(
                connection,
                organization_id,
                Action.PROJECT_TOKEN_REVOKED,
                actor=actor,
                subject=f"{slug}: {row.name}",
                key_prefix=row.prefix,
            )

    def _works(self) -> tuple[ColumnElement[bool], ...]:
        return ProjectToken.revoked_at.is_(None), ProjectToken.expires_at > self._database.now()
