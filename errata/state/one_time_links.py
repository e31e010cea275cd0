"""One-time links: by an invitation someone joins an organization, by a password link a user chooses a new
password. Each works once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, Connection, exists, insert, select, update

from errata.email_address import checked_email
from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.database import Database
from errata.state.errors import (
    InvalidCredentials,
    InvitationNotFound,
    MemberElsewhere,
    MemberNotFound,
    OneTimeLinkEnded,
    UserExists,
)
from errata.state.keys import RANDOM_LENGTH, generate_token
from errata.state.members import Members, described
from errata.state.one_time_link import LinkKind, OneTimeLink
from errata.state.organization import Organization
from errata.state.password_hashes import hash_password
from errata.state.repository import Repository
from errata.state.sessions import Sessions, WebSession
from errata.state.table import objects
from errata.state.users import Membership, Role, User, Users, normalized_email, organizations_of

LASTS = timedelta(days=7)
PASSWORD_LINK_LASTS = timedelta(days=1)


@dataclass(frozen=True)
class CreatedOneTimeLink:
    """`token` is shown once and stored nowhere."""

    link: OneTimeLink
    token: str


class OneTimeLinks(Repository):
    def __init__(
        self, database: Database, secret: bytes, users: Users, members: Members, sessions: Sessions
    ) -> None:
        super().__init__(database, secret)
        self._users = users
        self._members = members
        self._sessions = sessions

    def invite(
        self,
        organization_id: int,
        email: str,
        role: Role,
        projects: Sequence[str] | None = None,
        *,
        actor: str,
    ) -> CreatedOneTimeLink:
        """To all projects, or to those with these slugs. Ends an open invitation of the address. Raises
        InvalidParameter, ProjectNotFound, and UserExists for somebody who is in the organization."""
        email = checked_email(email)
        if role is Role.OWNER and projects is not None:
            raise InvalidParameter("projects", "owners see all projects; leave it out")
        with self._database.writing_alone() as connection:
            self._require_outside(connection, organization_id, email)
            ids = (
                None if projects is None else self._members.project_ids(connection, organization_id, projects)
            )
            created = self._create(connection, organization_id, LinkKind.INVITATION, email, role, actor, ids)
            limits = "" if projects is None else f" of {described(projects)}"
            self._record(
                connection,
                organization_id,
                Action.INVITATION_CREATED,
                actor=actor,
                subject=f"{email} as {role.value}{limits}"[:200],
            )
        return created

    def password_link(self, organization_id: int, user_id: int, *, actor: str) -> CreatedOneTimeLink:
        """Ends an open password link of the user. Raises MemberNotFound, and MemberElsewhere for somebody
        whose password opens another organization too."""
        with self._database.writing_alone() as connection:
            email = connection.execute(select(User.email).where(User.id == user_id)).scalar_one_or_none()
            organizations = organizations_of(connection, user_id)
            if email is None or organization_id not in organizations:
                raise MemberNotFound
            if len(organizations) > 1:
                raise MemberElsewhere(email)
            return self._password_link(connection, organization_id, email, actor)

    def forgotten(self, email: str) -> CreatedOneTimeLink | None:
        """A password link for whoever has the address; None if nobody has."""
        user = self._users.find(normalized_email(email))
        if user is None:
            return None
        with self._database.writing_alone() as connection:
            return self._password_link(connection, user.organization_id, user.email, user.email)

    def open_invitations(self, organization_id: int) -> list[OneTimeLink]:
        """The newest first."""
        return self._open(
            OneTimeLink.organization_id == organization_id,
            OneTimeLink.kind == LinkKind.INVITATION,
        )

    def revoke_invitation(self, organization_id: int, link_id: int, *, actor: str) -> None:
        """Raises InvitationNotFound, also for one that was accepted or has expired."""
        with self._database.writing() as connection:
            email = connection.execute(
                update(OneTimeLink)
                .where(
                    *self._is_open(),
                    OneTimeLink.id == link_id,
                    OneTimeLink.organization_id == organization_id,
                    OneTimeLink.kind == LinkKind.INVITATION,
                )
                .values(ended_at=self._database.now())
                .returning(OneTimeLink.email)
            ).scalar_one_or_none()
            if email is None:
                raise InvitationNotFound
            self._record(connection, organization_id, Action.INVITATION_REVOKED, actor=actor, subject=email)

    def find(self, token: str) -> OneTimeLink | None:
        """The link, if it still works."""
        if len(token) != RANDOM_LENGTH or not token.isascii():
            return None
        found = self._open(OneTimeLink.token_hash == self._hash(token))
        return found[0] if found else None

    def use(self, token: str, password: str) -> WebSession:
        """Gives the person the password, ends their other sessions, and signs them in. Somebody with an
        account joins with the password they have. Raises OneTimeLinkEnded, WeakPassword, InvalidCredentials
        and RateLimited; a link that a weak or wrong password was given for still works. Raises
        CodeRequired, with all else done, for a user with two-factor authentication."""
        link = self.find(token)
        if link is None:
            raise OneTimeLinkEnded
        if link.has_account and link.kind is LinkKind.INVITATION:
            if self._sessions.proven_user(link.email, password) is None:
                raise InvalidCredentials
            password_hash = ""
        else:
            password_hash = hash_password(password)
        with self._database.writing_alone() as connection:
            # Of several who use it at once one ends it.
            ended = connection.execute(
                update(OneTimeLink)
                .where(*self._is_open(), OneTimeLink.id == link.id)
                .values(ended_at=self._database.now())
            ).rowcount
            if not ended:
                raise OneTimeLinkEnded
            if link.kind is LinkKind.INVITATION:
                self._require_outside(connection, link.organization_id, link.email)
                self._join(connection, link, password_hash)
            else:
                self._replace_password(connection, link, password_hash)
        user = self._users.find(link.email)
        if user is None:
            raise OneTimeLinkEnded
        return self._sessions.begin(user, self._database.now())

    def _require_outside(self, connection: Connection, organization_id: int, email: str) -> None:
        """Raises UserExists for the address of somebody who is in the organization."""
        user_id = connection.execute(select(User.id).where(User.email == email)).scalar_one_or_none()
        if user_id is not None and organization_id in organizations_of(connection, user_id):
            raise UserExists(email)

    def _join(self, connection: Connection, link: OneTimeLink, password_hash: str) -> None:
        """An empty hash: the person keeps the password."""
        user_id = connection.execute(select(User.id).where(User.email == link.email)).scalar_one_or_none()
        if user_id is None:
            if not password_hash:
                raise OneTimeLinkEnded
            user_id = self._users.create(connection, link.organization_id, link.email, password_hash)
        elif password_hash:
            # An account that came to be since the link was looked up keeps its password.
            if organizations_of(connection, user_id):
                raise OneTimeLinkEnded
            connection.execute(update(User).where(User.id == user_id).values(password_hash=password_hash))
            self._sessions.end_others(connection, user_id, "")
        self._members.join(
            connection, link.organization_id, user_id, Role(link.role), link.project_ids, actor=link.email
        )
        self._record(
            connection,
            link.organization_id,
            Action.INVITATION_ACCEPTED,
            actor=link.email,
            subject=f"invited by {link.created_by}",
        )

    def _replace_password(self, connection: Connection, link: OneTimeLink, password_hash: str) -> None:
        user = self._users.find(link.email)
        if user is None:
            raise OneTimeLinkEnded
        self._users.change_password_hash(connection, user.id, user.email, password_hash, actor=link.email)
        self._sessions.end_others(connection, user.id, "")

    def _password_link(
        self, connection: Connection, organization_id: int, email: str, actor: str
    ) -> CreatedOneTimeLink:
        created = self._create(connection, organization_id, LinkKind.PASSWORD, email, None, actor)
        self._record(
            connection, organization_id, Action.USER_PASSWORD_LINK_CREATED, actor=actor, subject=email
        )
        return created

    def _create(
        self,
        connection: Connection,
        organization_id: int,
        kind: LinkKind,
        email: str,
        role: Role | None,
        actor: str,
        project_ids: Sequence[int] | None = None,
    ) -> CreatedOneTimeLink:
        token, now = generate_token(), self._database.now()
        expires_at = now + (LASTS if kind is LinkKind.INVITATION else PASSWORD_LINK_LASTS)
        expires_at = expires_at.replace(microsecond=0)
        connection.execute(
            update(OneTimeLink)
            .where(
                *self._is_open(),
                OneTimeLink.organization_id == organization_id,
                OneTimeLink.kind == kind,
                OneTimeLink.email == email,
            )
            .values(ended_at=now)
        )
        link_id = connection.execute(
            insert(OneTimeLink)
            .values(
                organization_id=organization_id,
                kind=kind,
                email=email,
                role=role or "",
                token_hash=self._hash(token),
                created_at=now,
                created_by=actor,
                expires_at=expires_at,
                project_ids=project_ids,
            )
            .returning(OneTimeLink.id)
        ).scalar_one()
        [link] = _links(connection, OneTimeLink.id == link_id)
        return CreatedOneTimeLink(link, token)

    def _is_open(self) -> tuple[ColumnElement[bool], ...]:
        return OneTimeLink.ended_at.is_(None), OneTimeLink.expires_at > self._database.now()

    def _open(self, *conditions: ColumnElement[bool]) -> list[OneTimeLink]:
        with self._database.reading() as connection:
            return _links(connection, *self._is_open(), *conditions)


def _links(connection: Connection, *conditions: ColumnElement[bool]) -> list[OneTimeLink]:
    has_account = exists().where(
        User.email == OneTimeLink.email, Membership.user_id == User.id, Membership.removed_at.is_(None)
    )
    query = (
        select(OneTimeLink, Organization.name.label("organization"), has_account.label("has_account"))
        .join(Organization, Organization.id == OneTimeLink.organization_id)
        .where(*conditions)
        .order_by(OneTimeLink.id.desc())
    )
    return objects(OneTimeLink, connection.execute(query))
