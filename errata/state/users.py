"""The users of an organization."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, and_, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.email_address import checked_email
from errata.state.activity_actions import Action
from errata.state.one_time_link import end_password_links
from errata.state.organization import Organization
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import Table
from errata.time_zone import known_zone


class Role(StrEnum):
    """Viewers can read; members can also work on issues, searches and annotations; owners can do
    everything."""

    OWNER = "owner"
    MEMBER = "member"
    VIEWER = "viewer"


class Reader(Protocol):
    """A caller or a session. `project_ids`: the projects that they see; None: all of the organization."""

    @property
    def role(self) -> Role: ...

    @property
    def project_ids(self) -> frozenset[int] | None: ...


class User(Table):
    """`role` is that in the organization, which is the one that a sign-in opens. Whoever was removed from
    every organization keeps the row: annotations and shared searches name their author."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"), index=True)
    email: Mapped[str] = mapped_column(String(320), unique=True)
    password_hash: Mapped[str] = mapped_column(String(200), repr=False)
    created_at: Mapped[datetime]
    time_zone: Mapped[str] = mapped_column(String(64), server_default="UTC")
    role: Role = Role.VIEWER
    organization: str = ""


class Membership(Table):
    __tablename__ = "memberships"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"), primary_key=True, index=True)
    role: Mapped[Role]
    has_all_projects: Mapped[bool]
    created_at: Mapped[datetime]
    removed_at: Mapped[datetime | None] = mapped_column(default=None)
    organization: str = ""


class ProjectMembership(Table):
    """Of people who don't have all projects of an organization."""

    __tablename__ = "project_memberships"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)


@dataclass(frozen=True)
class Person:
    """A user as others in the organization see them. `projects`: their slugs; None: all projects.
    `created_at`: when they joined."""

    id: int
    email: str
    role: str
    created_at: datetime
    projects: tuple[str, ...] | None = None


class Users(Repository):
    def of_organization(self, organization_id: int, told_of: frozenset[int] | None = None) -> list[Person]:
        """Every member, by email address. `told_of`: ids of projects; then only those who see one of them,
        and `projects` names no other. None: all."""
        query = (
            select(User.id, User.email, Membership.role, Membership.created_at, Membership.has_all_projects)
            .join(Membership, Membership.user_id == User.id)
            .where(Membership.organization_id == organization_id, Membership.removed_at.is_(None))
            .order_by(User.email)
        )
        chosen = (
            select(ProjectMembership.user_id, ProjectRow.slug)
            .join(ProjectRow, ProjectRow.id == ProjectMembership.project_id)
            .where(ProjectRow.organization_id == organization_id, ProjectRow.deleted_at.is_(None))
            .order_by(ProjectRow.slug)
        )
        if told_of is not None:
            chosen = chosen.where(ProjectRow.id.in_(told_of))
        slugs = defaultdict[int, list[str]](list)
        with self._database.reading() as connection:
            for user_id, slug in connection.execute(chosen):
                slugs[user_id].append(slug)
            return [
                Person(
                    row.id,
                    row.email,
                    row.role,
                    row.created_at,
                    None if row.has_all_projects else tuple(slugs[row.id]),
                )
                for row in connection.execute(query)
                if told_of is None or row.has_all_projects or slugs[row.id]
            ]

    def find(self, email: str) -> User | None:
        """None for nobody's address, and for that of somebody who belongs to no organization any more."""
        query = (
            select(User, Membership.role, Organization.name.label("organization"))
            .join(Organization, Organization.id == User.organization_id)
            .join(Membership, _in_opened())
            .where(User.email == email, Membership.removed_at.is_(None))
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return User(**row._mapping) if row else None

    def create(self, connection: Connection, organization_id: int, email: str, password_hash: str) -> int:
        """Creates a user who is a member of nothing yet, and returns the id. Raises InvalidParameter."""
        user_id: int = connection.execute(
            insert(User)
            .values(
                organization_id=organization_id,
                email=checked_email(email),
                password_hash=password_hash,
                created_at=self._database.now(),
            )
            .returning(User.id)
        ).scalar_one()
        return user_id

    def choose_time_zone(self, user_id: int, time_zone: str) -> None:
        """The zone that pages show moments in."""
        with self._database.writing() as connection:
            connection.execute(update(User).where(User.id == user_id).values(time_zone=known_zone(time_zone)))

    def change_password_hash(
        self, connection: Connection, user_id: int, email: str, password_hash: str, *, actor: str
    ) -> None:
        connection.execute(update(User).where(User.id == user_id).values(password_hash=password_hash))
        end_password_links(connection, email, self._database.now())
        for organization_id in organizations_of(connection, user_id):
            self._record(
                connection, organization_id, Action.USER_PASSWORD_CHANGED, actor=actor, subject=email
            )


def organizations_of(connection: Connection, user_id: int) -> list[int]:
    """Ids of the organizations that the user is a member of, the earliest joined first."""
    query = select(Membership.organization_id).where(
        Membership.user_id == user_id, Membership.removed_at.is_(None)
    )
    ordered = query.order_by(Membership.created_at, Membership.organization_id)
    return list(connection.execute(ordered).scalars())


def _in_opened() -> ColumnElement[bool]:
    """Joins the membership of the organization that a sign-in opens."""
    return and_(Membership.user_id == User.id, Membership.organization_id == User.organization_id)


def normalized_email(email: str) -> str:
    """The address as looked up; unprintable characters are left out, since PostgreSQL takes no
    NUL."""
    return "".join(character for character in email.strip().casefold() if character.isprintable())
