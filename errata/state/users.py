"""The users of an organization."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, insert, select, update

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.tables import one_time_links, organizations, users
from errata.time_zone import known_zone

LONGEST_EMAIL = 320


class Role(StrEnum):
    """A viewer reads; a member works on issues, searches and annotations too; an owner may do everything."""

    OWNER = "owner"
    MEMBER = "member"
    VIEWER = "viewer"


@dataclass(frozen=True)
class User:
    id: int
    email: str
    role: str
    organization_id: int
    password_hash: str
    organization: str
    time_zone: str


@dataclass(frozen=True)
class Person:
    """A user as others see them."""

    id: int
    email: str
    role: str
    created_at: datetime


class Users(Repository):
    def of_organization(self, organization_id: int) -> list[Person]:
        """Every user, by email address."""
        query = select(users.c.id, users.c.email, users.c.role, users.c.created_at).where(
            users.c.organization_id == organization_id, users.c.removed_at.is_(None)
        )
        with self._database.reading() as connection:
            return [Person(*row) for row in connection.execute(query.order_by(users.c.email))]

    def find(self, email: str) -> User | None:
        query = (
            select(
                users.c.id,
                users.c.email,
                users.c.role,
                users.c.organization_id,
                users.c.password_hash,
                organizations.c.name,
                users.c.time_zone,
            )
            .join(organizations, organizations.c.id == users.c.organization_id)
            .where(users.c.email == email, users.c.removed_at.is_(None))
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return User(*row) if row else None

    def create(
        self,
        connection: Connection,
        organization_id: int,
        email: str,
        password_hash: str,
        role: Role,
        actor: str,
    ) -> None:
        email = checked_email(email)
        connection.execute(
            insert(users).values(
                organization_id=organization_id,
                email=email,
                password_hash=password_hash,
                role=role.value,
                created_at=self._database.now(),
            )
        )
        self._record(connection, organization_id, Action.USER_CREATED, actor=actor, subject=email)

    def choose_time_zone(self, user_id: int, time_zone: str) -> None:
        """The zone that pages show moments in."""
        with self._database.writing() as connection:
            connection.execute(
                update(users).where(users.c.id == user_id).values(time_zone=known_zone(time_zone))
            )

    def change_password_hash(
        self, connection: Connection, user: User, password_hash: str, *, actor: str
    ) -> None:
        connection.execute(update(users).where(users.c.id == user.id).values(password_hash=password_hash))
        end_links(connection, user.email, self._database.now())
        self._record(
            connection, user.organization_id, Action.USER_PASSWORD_CHANGED, actor=actor, subject=user.email
        )


def end_links(connection: Connection, email: str, now: datetime) -> None:
    """Ends open links of the address: they are older than what was decided about its account."""
    connection.execute(
        update(one_time_links)
        .where(one_time_links.c.email == email, one_time_links.c.ended_at.is_(None))
        .values(ended_at=now)
    )


def checked_email(email: str) -> str:
    """The address as stored. Raises InvalidParameter."""
    email = normalized_email(email)
    if not 3 <= len(email) <= LONGEST_EMAIL or "@" not in email[1:-1] or " " in email:
        raise InvalidParameter("email", "an email address")
    return email


def normalized_email(email: str) -> str:
    """The address as stored and looked up; unprintable characters are left out, since PostgreSQL takes no
    NUL."""
    return "".join(character for character in email.strip().casefold() if character.isprintable())
