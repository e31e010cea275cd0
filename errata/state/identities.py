"""Who people are at the sign-in provider: an issuer and its name for the person, never the email alone."""

import logging
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey, UniqueConstraint
from sqlalchemy.types import String

from errata.email_address import checked_email
from errata.state.activity_actions import Action
from errata.state.database import Database
from errata.state.errors import LastOwner, MemberNotFound, NoRole, OtherIdentity, PersonRemoved
from errata.state.members import Members, was_member
from errata.state.password_hashes import generate_password, hash_password
from errata.state.repository import Repository
from errata.state.sessions import Sessions
from errata.state.table import Table
from errata.state.users import Role, User, Users, organizations_of

log = logging.getLogger("errata.state")


class Identity(Table):
    """A person at a sign-in provider; one at most at each."""

    __tablename__ = "identities"
    __table_args__ = (UniqueConstraint("user_id", "issuer"),)

    issuer: Mapped[str] = mapped_column(String(500), primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[datetime]


@dataclass(frozen=True)
class ProviderIdentity:
    """As a verified ID token has it; the email is verified, and of an allowed domain."""

    issuer: str
    subject: str
    email: str


class Identities(Repository):
    def __init__(
        self, database: Database, secret: bytes, users: Users, members: Members, sessions: Sessions
    ) -> None:
        super().__init__(database, secret)
        self._users = users
        self._members = members
        self._sessions = sessions

    def admit(
        self,
        organization_id: int,
        identity: ProviderIdentity,
        role: Role | None,
        *,
        keeps_role: bool,
    ) -> User:
        """The user of the identity: known by it, linked by email at the first sign-in, or created.

        `role` is that of the person's groups; None: they have none. `keeps_role`: groups decide only about
        new people. Raises NoRole, PersonRemoved and OtherIdentity.
        """
        try:
            return self._admit(organization_id, identity, role, keeps_role)
        except (NoRole, PersonRemoved, OtherIdentity) as refused:
            with self._database.writing() as connection:
                self._record(
                    connection,
                    organization_id,
                    Action.USER_PROVIDER_REFUSED,
                    actor=identity.email,
                    subject=refused.code,
                )
            raise

    def unlink(self, organization_id: int, user_id: int, email: str, *, actor: str) -> bool:
        """Forgets who the user is at providers; the next sign-in links them by email. Whether they were
        linked."""
        with self._database.writing() as connection:
            own = Identity.user_id == user_id
            was_linked = connection.execute(delete(Identity).where(own)).rowcount > 0
            if was_linked:
                self._record(
                    connection, organization_id, Action.USER_IDENTITY_UNLINKED, actor=actor, subject=email
                )
        return was_linked

    def _admit(
        self, organization_id: int, identity: ProviderIdentity, role: Role | None, keeps_role: bool
    ) -> User:
        # Alone, so that of two first sign-ins at once one creates the person and the other finds them.
        with self._database.writing_alone() as connection:
            known = _known(connection, identity)
            if known is None:
                email = checked_email(identity.email)
                self._link(connection, organization_id, identity, email, role)
            else:
                user_id, email = known
                if organization_id not in organizations_of(connection, user_id):
                    raise PersonRemoved
        user = self._users.find(email)
        if user is None:
            raise PersonRemoved
        if keeps_role:
            return user
        if role is None:
            raise NoRole
        self._take_role(organization_id, user, role)
        return self._users.find(email) or user

    def _link(
        self,
        connection: Connection,
        organization_id: int,
        identity: ProviderIdentity,
        email: str,
        role: Role | None,
    ) -> None:
        user_id = connection.execute(select(User.id).where(User.email == email)).scalar_one_or_none()
        if user_id is None:
            if role is None:
                raise NoRole
            # Nobody knows it: a password link replaces it.
            password_hash = hash_password(generate_password())
            user_id = self._users.create(connection, organization_id, email, password_hash)
            self._members.join(connection, organization_id, user_id, role, actor=email)
        elif organization_id not in organizations_of(connection, user_id):
            # Somebody of another organization joins; who was removed from this one stays out.
            if was_member(connection, organization_id, user_id):
                raise PersonRemoved
            if role is None:
                raise NoRole
            self._members.join(connection, organization_id, user_id, role, actor=email)
            # Others may know the password: who invited this address elsewhere has not proved to have it.
            self._users.change_password_hash(
                connection, user_id, email, hash_password(generate_password()), actor=email
            )
            self._sessions.end_others(connection, user_id, "")
        if _has_another(connection, user_id, identity):
            raise OtherIdentity
        connection.execute(
            insert(Identity).values(
                issuer=identity.issuer,
                subject=identity.subject,
                user_id=user_id,
                created_at=self._database.now(),
            )
        )
        self._record(
            connection, organization_id, Action.USER_IDENTITY_LINKED, actor=email, subject=identity.subject
        )

    def _take_role(self, organization_id: int, user: User, role: Role) -> None:
        try:
            self._members.change_role(organization_id, user.id, role, actor="sign-in provider")
        except MemberNotFound:
            raise PersonRemoved from None
        except LastOwner:
            log.warning("%s stays an owner, since there is no other; groups say %s", user.email, role.value)
            with self._database.writing() as connection:
                self._record(
                    connection,
                    organization_id,
                    Action.USER_ROLE_KEPT,
                    actor="sign-in provider",
                    subject=f"{user.email}: the only owner, not {role.value}",
                )


def _known(connection: Connection, identity: ProviderIdentity) -> tuple[int, str] | None:
    """Id and email of the user."""
    query = (
        select(User.id, User.email)
        .join(Identity, Identity.user_id == User.id)
        .where(Identity.issuer == identity.issuer, Identity.subject == identity.subject)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else (row.id, row.email)


def _has_another(connection: Connection, user_id: int, identity: ProviderIdentity) -> bool:
    query = select(Identity.subject).where(Identity.user_id == user_id, Identity.issuer == identity.issuer)
    return connection.execute(query).scalar_one_or_none() is not None
