"""The users of an organization."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, and_, insert, select, update

from errata.email_address import checked_email
from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.tables import (
    memberships,
    one_time_links,
    organizations,
    project_memberships,
    projects,
    users,
)
from errata.time_zone import known_zone


class Role(StrEnum):
    """A viewer reads; a member works on issues, searches and annotations too; an owner may do everything."""

    OWNER = "owner"
    MEMBER = "member"
    VIEWER = "viewer"


class Reader(Protocol):
    """A caller or a session. `project_ids`: the projects that they see; None: all of the organization."""

    @property
    def role(self) -> Role: ...

    @property
    def project_ids(self) -> frozenset[int] | None: ...


@dataclass(frozen=True)
class User:
    """`role` is that in the organization, which is the one that a sign-in opens."""

    id: int
    email: str
    role: str
    organization_id: int
    password_hash: str
    organization: str
    time_zone: str


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
            select(
                users.c.id,
                users.c.email,
                memberships.c.role,
                memberships.c.created_at,
                memberships.c.has_all_projects,
            )
            .join(memberships, memberships.c.user_id == users.c.id)
            .where(memberships.c.organization_id == organization_id, memberships.c.removed_at.is_(None))
            .order_by(users.c.email)
        )
        chosen = (
            select(project_memberships.c.user_id, projects.c.slug)
            .join(projects, projects.c.id == project_memberships.c.project_id)
            .where(projects.c.organization_id == organization_id, projects.c.deleted_at.is_(None))
            .order_by(projects.c.slug)
        )
        if told_of is not None:
            chosen = chosen.where(projects.c.id.in_(told_of))
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
            select(
                users.c.id,
                users.c.email,
                memberships.c.role,
                users.c.organization_id,
                users.c.password_hash,
                organizations.c.name,
                users.c.time_zone,
            )
            .join(organizations, organizations.c.id == users.c.organization_id)
            .join(memberships, _in_opened())
            .where(users.c.email == email, memberships.c.removed_at.is_(None))
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return User(*row) if row else None

    def create(self, connection: Connection, organization_id: int, email: str, password_hash: str) -> int:
        """Creates a user who is a member of nothing yet, and returns the id. Raises InvalidParameter."""
        user_id: int = connection.execute(
            insert(users)
            .values(
                organization_id=organization_id,
                email=checked_email(email),
                password_hash=password_hash,
                created_at=self._database.now(),
            )
            .returning(users.c.id)
        ).scalar_one()
        return user_id

    def choose_time_zone(self, user_id: int, time_zone: str) -> None:
        """The zone that pages show moments in."""
        with self._database.writing() as connection:
            connection.execute(
                update(users).where(users.c.id == user_id).values(time_zone=known_zone(time_zone))
            )

    def change_password_hash(
        self, connection: Connection, user_id: int, email: str, password_hash: str, *, actor: str
    ) -> None:
        connection.execute(update(users).where(users.c.id == user_id).values(password_hash=password_hash))
        end_password_links(connection, email, self._database.now())
        for organization_id in organizations_of(connection, user_id):
            self._record(
                connection, organization_id, Action.USER_PASSWORD_CHANGED, actor=actor, subject=email
            )


def end_password_links(connection: Connection, email: str, now: datetime) -> None:
    """Ends open password links of the address: they are older than what was decided about its account."""
    connection.execute(
        update(one_time_links)
        .where(
            one_time_links.c.email == email,
            one_time_links.c.kind == "password",
            one_time_links.c.ended_at.is_(None),
        )
        .values(ended_at=now)
    )


def organizations_of(connection: Connection, user_id: int) -> list[int]:
    """Ids of the organizations that the user is a member of, the earliest joined first."""
    query = select(memberships.c.organization_id).where(
        memberships.c.user_id == user_id, memberships.c.removed_at.is_(None)
    )
    ordered = query.order_by(memberships.c.created_at, memberships.c.organization_id)
    return list(connection.execute(ordered).scalars())


def _in_opened() -> ColumnElement[bool]:
    """Joins the membership of the organization that a sign-in opens."""
    return and_(memberships.c.user_id == users.c.id, memberships.c.organization_id == users.c.organization_id)


def normalized_email(email: str) -> str:
    """The address as looked up; unprintable characters are left out, since PostgreSQL takes no
    NUL."""
    return "".join(character for character in email.strip().casefold() if character.isprintable())
