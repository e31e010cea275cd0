"""Sessions of signed-in browsers."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from errata.state.activity_actions import Action
from errata.state.authenticators import Authenticators
from errata.state.database import Database
from errata.state.errors import CodeRequired, InvalidCredentials, PasswordRequired
from errata.state.half_sign_ins import HalfSignIns, end_half_sign_ins
from errata.state.keys import generate_token
from errata.state.password_hashes import is_password
from errata.state.repository import Repository
from errata.state.sign_in_attempts import SignInAttempts
from errata.state.tables import organizations, users, web_sessions
from errata.state.users import Role, User, Users, normalized_email

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
    when the user last gave the password; None in a session of an earlier version."""

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


SESSION = (
    select(
        web_sessions.c.csrf_token,
        web_sessions.c.expires_at,
        users.c.id,
        users.c.email,
        users.c.role,
        organizations.c.id,
        organizations.c.name,
        users.c.time_zone,
        web_sessions.c.confirmed_at,
    )
    .join(users, users.c.id == web_sessions.c.user_id)
    .join(organizations, organizations.c.id == users.c.organization_id)
    .where(
        web_sessions.c.token_hash == bindparam("token_hash"),
        web_sessions.c.expires_at > bindparam("now"),
        users.c.removed_at.is_(None),
    )
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
        sign-in, and RateLimited after too many attempts."""
        email = normalized_email(email)
        self._attempts.count(email)
        user = self._users.find(email)
        if not is_password(password, user.password_hash if user else None) or user is None:
            return None
        return self.begin(user, self._database.now())

    def begin(self, user: User, confirmed_at: datetime | None) -> WebSession:
        """A session of a user whose password, link or provider was right. Raises CodeRequired if they have
        two-step sign-in. `confirmed_at`: when they gave the password."""
        if self._authenticators.is_on(user.id):
            raise CodeRequired(self._half_sign_ins.begin(user, confirmed_at))
        return self.begin_proven(user, confirmed_at)

    def begin_proven(self, user: User, confirmed_at: datetime | None) -> WebSession:
        """A session of a user who has taken every step."""
        token, csrf_token, now = generate_token(), generate_token(), self._database.now()
        expires_at = now + SESSION_LASTS
        with self._database.writing() as connection:
            self._attempts.forget(connection, user.email)
            connection.execute(delete(web_sessions).where(web_sessions.c.expires_at <= now))
            connection.execute(
                insert(web_sessions).values(
                    token_hash=self._hash(token),
                    user_id=user.id,
                    csrf_token=csrf_token,
                    created_at=now,
                    expires_at=expires_at,
                    confirmed_at=confirmed_at,
                )
            )
            self._record(connection, user.organization_id, Action.USER_SIGNED_IN, actor=user.email)
        return WebSession(
            token,
            csrf_token,
            expires_at,
            user.id,
            user.email,
            Role(user.role),
            user.organization_id,
            user.organization,
            user.time_zone,
            confirmed_at,
        )

    def find(self, token: str) -> WebSession | None:
        parameters = {"token_hash": self._hash(token), "now": self._database.now()}
        with self._database.reading() as connection:
            row = connection.execute(SESSION, parameters).one_or_none()
        if row is None:
            return None
        csrf_token, expires_at, user_id, email, role, *rest = row
        return WebSession(token, csrf_token, expires_at, user_id, email, Role(role), *rest)

    def checked_user(self, session: WebSession, password: str) -> User:
        """The session's user, if this is the password. Raises InvalidCredentials, and RateLimited after too
        many attempts."""
        self._attempts.count(session.email)
        user = self._users.find(session.email)
        if user is None or not is_password(password, user.password_hash):
            raise InvalidCredentials
        return user

    def confirm(self, session: WebSession, password: str) -> None:
        """Notes that the user gave the password again. Raises as `checked_user`."""
        self.checked_user(session, password)
        with self._database.writing() as connection:
            self._attempts.forget(connection, session.email)
            connection.execute(
                update(web_sessions)
                .where(web_sessions.c.token_hash == self._hash(session.token))
                .values(confirmed_at=self._database.now())
            )

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
            connection.execute(delete(web_sessions).where(web_sessions.c.token_hash == self._hash(token)))
            self._record(connection, session.organization_id, Action.USER_SIGNED_OUT, actor=session.email)

    def of_user(self, session: WebSession) -> list[OpenSession]:
        """The user's open sessions, the newest first."""
        query = (
            select(web_sessions.c.token_hash, web_sessions.c.created_at, web_sessions.c.expires_at)
            .where(
                web_sessions.c.user_id == session.user_id, web_sessions.c.expires_at > self._database.now()
            )
            .order_by(web_sessions.c.created_at.desc())
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
            delete(web_sessions).where(
                web_sessions.c.user_id == user_id, web_sessions.c.token_hash != self._hash(token)
            )
        )
