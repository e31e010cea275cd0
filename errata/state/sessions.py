"""Sessions of signed-in browsers."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, bindparam, delete, exists, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.state.activity_actions import Action
from errata.state.authenticators import Authenticators, Totp
from errata.state.database import Database
from errata.state.errors import (
    CodeRequired,
    InvalidCredentials,
    OrganizationNotFound,
    PasswordRequired,
    SignInExpired,
)
from errata.state.half_sign_ins import HalfSignIns, end_half_sign_ins
from errata.state.keys import generate_token
from errata.state.organization import Organization
from errata.state.password_hashes import is_password
from errata.state.repository import Repository
from errata.state.sign_in_attempts import SignInAttempts
from errata.state.table import Table
from errata.state.users import (
    Membership,
    ProjectMembership,
    Role,
    User,
    Users,
    normalized_email,
    organizations_of,
)

SESSION_LASTS = timedelta(days=30)
# Whoever finds an open browser must not see keys.
CONFIRMED_FOR = timedelta(minutes=5)


@dataclass(frozen=True)
class OpenSession:
    created_at: datetime
    expires_at: datetime
    is_own: bool
    """Whether it is the session that asks."""


@dataclass(frozen=True)
class WebSession:
    """`token` is the cookie's value, `csrf_token` accompanies each change that a page sends. `confirmed_at`:
    when the user last gave the password; None in a session of an earlier version. `lacks_second_step`: the
    organization requires one that the user has not set up. `project_ids`: those that the user may see; None:
    all of the organization."""

    token: str
    csrf_token: str
    expires_at: datetime
    user_id: int
    email: str
    role: Role
    organization_id: int
    organization: str
    time_zone: str
    confirmed_at: datetime | None
    lacks_second_step: bool
    project_ids: frozenset[int] | None = None


class SessionRow(Table):
    __tablename__ = "web_sessions"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True, repr=False)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    csrf_token: Mapped[str] = mapped_column(String(64), repr=False)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    confirmed_at: Mapped[datetime | None] = mapped_column(default=None)


HAS_SECOND_STEP = exists().where(Totp.user_id == User.id, Totp.turned_on_at.is_not(None))
# In the order of the session's fields.
SESSION = (
    select(
        SessionRow.csrf_token,
        SessionRow.expires_at,
        User.id,
        User.email,
        Membership.role,
        Organization.id,
        Organization.name,
        User.time_zone,
        SessionRow.confirmed_at,
        and_(Organization.requires_two_steps, ~HAS_SECOND_STEP),
        Membership.has_all_projects,
    )
    .join(User, User.id == SessionRow.user_id)
    .join(Organization, Organization.id == SessionRow.organization_id)
    .join(
        Membership,
        and_(Membership.user_id == User.id, Membership.organization_id == Organization.id),
    )
    .where(
        SessionRow.token_hash == bindparam("token_hash"),
        SessionRow.expires_at > bindparam("now"),
        Membership.removed_at.is_(None),
    )
)
CHOSEN_PROJECTS = select(ProjectMembership.project_id).where(
    ProjectMembership.user_id == bindparam("user_id")
)


class Sessions(Repository):
    def __init__(
        self,
        database: Database,
        secret: bytes,
        users: Users,
        attempts: SignInAttempts,
        authenticators: Authenticators,
        half_sign_ins: HalfSignIns,
    ) -> None:
        super().__init__(database, secret)
        self._users = users
        self._attempts = attempts
        self._authenticators = authenticators
        self._half_sign_ins = half_sign_ins

    def sign_in(self, email: str, password: str) -> WebSession | None:
        """Signs a user in; None for a wrong e-mail or password. Raises CodeRequired for a user with two-step
        sign-in, SignInExpired, and RateLimited after too many attempts."""
        user = self.proven_user(email, password)
        return None if user is None else self.begin(user, self._database.now())

    def proven_user(self, email: str, password: str) -> User | None:
        """The user with this address, if this is the password. Raises RateLimited after too many attempts."""
        email = normalized_email(email)
        self._attempts.count(email)
        user = self._users.find(email)
        if not is_password(password, user.password_hash if user else None):
            return None
        return user

    def begin(self, user: User, confirmed_at: datetime | None) -> WebSession:
        """A session of a user whose password, link or provider was right. Raises CodeRequired if they have
        two-factor authentication, and SignInExpired. `confirmed_at`: when they gave the password."""
        if self._authenticators.is_on(user.id):
            raise CodeRequired(self._half_sign_ins.begin(user, confirmed_at))
        return self.begin_proven(user, confirmed_at)

    def begin_proven(self, user: User, confirmed_at: datetime | None) -> WebSession:
        """A session of a user who has taken every step. Raises SignInExpired if the password was changed
        since the user was found: that ended all sessions, and this would be one more."""
        token, csrf_token, now = generate_token(), generate_token(), self._database.now()
        expires_at = now + SESSION_LASTS
        # Before and apart: whoever removes the user holds their sessions, and waits for the lock below.
        with self._database.writing() as connection:
            connection.execute(delete(SessionRow).where(SessionRow.expires_at <= now))
        # Locked, so that a change either waits for this session, and ends it, or is seen here.
        kept = select(User.password_hash).where(User.id == user.id).with_for_update(read=True)
        with self._database.writing() as connection:
            if connection.execute(kept).scalar_one() != user.password_hash:
                raise SignInExpired
            self._attempts.forget(connection, user.email)
            connection.execute(
                insert(SessionRow).values(
                    token_hash=self._hash(token),
                    user_id=user.id,
                    organization_id=user.organization_id,
                    csrf_token=csrf_token,
                    created_at=now,
                    expires_at=expires_at,
                    confirmed_at=confirmed_at,
                )
            )
            self._record(connection, user.organization_id, Action.USER_SIGNED_IN, actor=user.email)
        session = self.find(token)
        if session is None:
            raise SignInExpired
        return session

    def find(self, token: str) -> WebSession | None:
        parameters = {"token_hash": self._hash(token), "now": self._database.now()}
        with self._database.reading() as connection:
            row = connection.execute(SESSION, parameters).one_or_none()
            if row is None:
                return None
            *values, has_all_projects = row
            session = WebSession(token, *values)
            if has_all_projects:
                return session
            chosen = connection.execute(CHOSEN_PROJECTS, {"user_id": session.user_id}).scalars()
            return replace(session, project_ids=frozenset(chosen))

    def switch(self, session: WebSession, organization_id: int) -> WebSession:
        """The session in another organization of the user, which later sign-ins open too. It has a new CSRF
        token: a page that is still open would change the other organization. Raises OrganizationNotFound."""
        # Alone, so that nobody is removed from it meanwhile: their later sign-ins would open nothing.
        with self._database.writing_alone() as connection:
            if organization_id not in organizations_of(connection, session.user_id):
                raise OrganizationNotFound
            connection.execute(
                update(SessionRow)
                .where(SessionRow.token_hash == self._hash(session.token))
                .values(organization_id=organization_id, csrf_token=generate_token())
            )
            connection.execute(
                update(User).where(User.id == session.user_id).values(organization_id=organization_id)
            )
            self._record(connection, organization_id, Action.USER_SIGNED_IN, actor=session.email)
        switched = self.find(session.token)
        if switched is None:
            raise OrganizationNotFound
        return switched

    def checked_user(self, session: WebSession, password: str) -> User:
        """The session's user, if this is the password. Raises InvalidCredentials, and RateLimited after too
        many attempts."""
        user = self.proven_user(session.email, password)
        if user is None:
            raise InvalidCredentials
        return user

    def confirm(self, session: WebSession, password: str) -> None:
        """Notes that the user gave the password again. Raises as `checked_user`."""
        user = self.checked_user(session, password)
        with self._database.writing() as connection:
            self.forget_attempts(connection, user)
            connection.execute(
                update(SessionRow)
                .where(SessionRow.token_hash == self._hash(session.token))
                .values(confirmed_at=self._database.now())
            )

    def forget_attempts(self, connection: Connection, user: User) -> None:
        """Forgets the attempts after a right password, but for a user with two-factor authentication: wrong
        codes are among them, so that between two passwords there would be guesses without end."""
        if not self._authenticators.is_on(user.id):
            self._attempts.forget(connection, user.email)

    def require_confirmed(self, session: WebSession) -> None:
        """Raises PasswordRequired unless the user gave the password in the last five minutes."""
        if (
            session.confirmed_at is None
            or not timedelta(0) <= self._database.now() - session.confirmed_at < CONFIRMED_FOR
        ):
            raise PasswordRequired

    def sign_out(self, token: str) -> None:
        session = self.find(token)
        if session is None:
            return
        with self._database.writing() as connection:
            connection.execute(delete(SessionRow).where(SessionRow.token_hash == self._hash(token)))
            self._record(connection, session.organization_id, Action.USER_SIGNED_OUT, actor=session.email)

    def of_user(self, session: WebSession) -> list[OpenSession]:
        """The user's open sessions, the newest first."""
        query = (
            select(SessionRow.token_hash, SessionRow.created_at, SessionRow.expires_at)
            .where(SessionRow.user_id == session.user_id, SessionRow.expires_at > self._database.now())
            .order_by(SessionRow.created_at.desc())
        )
        own = self._hash(session.token)
        with self._database.reading() as connection:
            return [
                OpenSession(row.created_at, row.expires_at, row.token_hash == own)
                for row in connection.execute(query)
            ]

    def end_all_others(self, session: WebSession) -> None:
        with self._database.writing() as connection:
            self.end_others(connection, session.user_id, session.token)
            self._record(connection, session.organization_id, Action.USER_SESSIONS_ENDED, actor=session.email)

    def end_others(self, connection: Connection, user_id: int, token: str) -> None:
        """Ends all sessions of the user except for the one of this token, and begun sign-ins."""
        end_half_sign_ins(connection, user_id)
        connection.execute(
            delete(SessionRow).where(
                SessionRow.user_id == user_id, SessionRow.token_hash != self._hash(token)
            )
        )
