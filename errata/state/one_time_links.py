"""One-time links: by an invitation someone joins an organization, by a password link a user chooses a new
password. Each works once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

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
from errata.state.password_hashes import hash_password
from errata.state.repository import Repository
from errata.state.sessions import Sessions, WebSession
from errata.state.tables import memberships, one_time_links, organizations, users
from errata.state.users import Role, Users, normalized_email, organizations_of

LASTS = timedelta(days=7)
PASSWORD_LINK_LASTS = timedelta(days=1)


class LinkKind(StrEnum):
    INVITATION = "invitation"
    PASSWORD = "password"


@dataclass(frozen=True)
class OneTimeLink:
    """`role` and `project_ids` are those of an invitation; a password link has none. `has_account`: the
    person has a password already, and joins with it."""

    id: int
    organization_id: int
    organization: str
    kind: LinkKind
    email: str
    role: str
    created_at: datetime
    created_by: str
    expires_at: datetime
    project_ids: tuple[int, ...] | None = None
    has_account: bool = False


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
            email = connection.execute(
                select(users.c.email).where(users.c.id == user_id)
            ).scalar_one_or_none()
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
            one_time_links.c.organization_id == organization_id,
            one_time_links.c.kind == LinkKind.INVITATION.value,
        )

    def revoke_invitation(self, organization_id: int, link_id: int, *, actor: str) -> None:
        """Raises InvitationNotFound, also for one that was accepted or has expired."""
        with self._database.writing() as connection:
            email = connection.execute(
                update(one_time_links)
                .where(
                    *self._is_open(),
                    one_time_links.c.id == link_id,
                    one_time_links.c.organization_id == organization_id,
                    one_time_links.c.kind == LinkKind.INVITATION.value,
                )
                .values(ended_at=self._database.now())
                .returning(one_time_links.c.email)
            ).scalar_one_or_none()
            if email is None:
                raise InvitationNotFound
            self._record(connection, organization_id, Action.INVITATION_REVOKED, actor=actor, subject=email)

    def find(self, token: str) -> OneTimeLink | None:
        """The link, if it still works."""
        if len(token) != RANDOM_LENGTH or not token.isascii():
            return None
        found = self._open(one_time_links.c.token_hash == self._hash(token))
        return found[0] if found else None

    def use(self, token: str, password: str) -> WebSession:
        """Gives the person the password, ends their other sessions, and signs them in. Somebody with an
        account joins with the password they have. Raises OneTimeLinkEnded, WeakPassword, InvalidCredentials
        and RateLimited; a link that a weak or wrong password was given for still works. Raises
        CodeRequired, with all else done, for a user with two-step sign-in."""
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
                update(one_time_links)
                .where(*self._is_open(), one_time_links.c.id == link.id)
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
        user_id = connection.execute(select(users.c.id).where(users.c.email == email)).scalar_one_or_none()
        if user_id is not None and organization_id in organizations_of(connection, user_id):
            raise UserExists(email)

    def _join(self, connection: Connection, link: OneTimeLink, password_hash: str) -> None:
        """An empty hash: the person keeps the password."""
        user_id = connection.execute(
            select(users.c.id).where(users.c.email == link.email)
        ).scalar_one_or_none()
        if user_id is None:
            if not password_hash:
                raise OneTimeLinkEnded
            user_id = self._users.create(connection, link.organization_id, link.email, password_hash)
        elif password_hash:
            # An account that came to be since the link was looked up keeps its password.
            if organizations_of(connection, user_id):
                raise OneTimeLinkEnded
            connection.execute(update(users).where(users.c.id == user_id).values(password_hash=password_hash))
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
            update(one_time_links)
            .where(
                *self._is_open(),
                one_time_links.c.organization_id == organization_id,
                one_time_links.c.kind == kind.value,
                one_time_links.c.email == email,
            )
            .values(ended_at=now)
        )
        role_word = role.value if role else ""
        link_id = connection.execute(
            insert(one_time_links)
            .values(
                organization_id=organization_id,
                kind=kind.value,
                email=email,
                role=role_word,
                token_hash=self._hash(token),
                created_at=now,
                created_by=actor,
                expires_at=expires_at,
                project_ids=_stored_ids(project_ids),
            )
            .returning(one_time_links.c.id)
        ).scalar_one()
        organization = connection.execute(
            select(organizations.c.name).where(organizations.c.id == organization_id)
        ).scalar_one()
        link = OneTimeLink(
            link_id,
            organization_id,
            organization,
            kind,
            email,
            role_word,
            now,
            actor,
            expires_at,
            None if project_ids is None else tuple(project_ids),
        )
        return CreatedOneTimeLink(link, token)

    def _is_open(self) -> tuple[ColumnElement[bool], ...]:
        return one_time_links.c.ended_at.is_(None), one_time_links.c.expires_at > self._database.now()

    def _open(self, *conditions: ColumnElement[bool]) -> list[OneTimeLink]:
        query = (
            select(
                one_time_links.c.id,
                one_time_links.c.organization_id,
                organizations.c.name,
                one_time_links.c.kind,
                one_time_links.c.email,
                one_time_links.c.role,
                one_time_links.c.created_at,
                one_time_links.c.created_by,
                one_time_links.c.expires_at,
                one_time_links.c.project_ids,
                exists()
                .where(
                    users.c.email == one_time_links.c.email,
                    memberships.c.user_id == users.c.id,
                    memberships.c.removed_at.is_(None),
                )
                .label("has_account"),
            )
            .join(organizations, organizations.c.id == one_time_links.c.organization_id)
            .where(*self._is_open(), *conditions)
            .order_by(one_time_links.c.id.desc())
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            OneTimeLink(
                row.id,
                row.organization_id,
                row.name,
                LinkKind(row.kind),
                row.email,
                row.role,
                row.created_at,
                row.created_by,
                row.expires_at,
                _read_ids(row.project_ids),
                row.has_account,
            )
            for row in rows
        ]


# In the column of an invitation that gives no project at all.
NO_PROJECT = "none"


def _stored_ids(project_ids: Sequence[int] | None) -> str:
    if project_ids is None:
        return ""
    return ",".join(map(str, project_ids)) or NO_PROJECT


def _read_ids(stored: str) -> tuple[int, ...] | None:
    if not stored:
        return None
    return () if stored == NO_PROJECT else tuple(int(each) for each in stored.split(","))
