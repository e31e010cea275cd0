"""Users, and what they sign in with."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from errata.errors import InvalidParameter, RateLimited
from errata.state.activity_actions import Action
from errata.state.errors import InvalidCredentials
from errata.state.keys import generate_token
from errata.state.part import StorePart
from errata.state.passwords import generate_password, hash_password, is_password
from errata.state.tables import organizations, sign_in_attempts, users, web_sessions

SESSION_LASTS = timedelta(days=30)
ATTEMPTS_A_WINDOW = 10
ATTEMPT_WINDOW = timedelta(minutes=5)
LONGEST_EMAIL = 320


class Role(StrEnum):
    OWNER = "owner"
    MEMBER = "member"


@dataclass(frozen=True)
class WebSession:
    """`token` is the cookie's value, `csrf_token` what a page sends along with each change."""

    token: str
    csrf_token: str
    expires_at: datetime
    user_id: int
    email: str
    role: Role
    organization_id: int
    organization: str


@dataclass(frozen=True)
class UserRow:
    id: int
    email: str
    role: str
    organization_id: int
    password_hash: str
    organization: str


SESSION = (
    select(
        web_sessions.c.csrf_token,
        web_sessions.c.expires_at,
        users.c.id,
        users.c.email,
        users.c.role,
        organizations.c.id,
        organizations.c.name,
    )
    .join(users, users.c.id == web_sessions.c.user_id)
    .join(organizations, organizations.c.id == users.c.organization_id)
    .where(web_sessions.c.token_hash == bindparam("token_hash"), web_sessions.c.expires_at > bindparam("now"))
)


class Users(StorePart):
    def sign_in(self, email: str, password: str) -> WebSession | None:
        """None when the e-mail or the password is wrong. Raises RateLimited after too many attempts."""
        email = normalized_email(email)
        self._count_attempt(email)
        with self._database.reading() as connection:
            user = self._user(connection, email)
        if not is_password(password, user.password_hash if user else None) or user is None:
            return None
        token, csrf_token, now = generate_token(), generate_token(), self._database.now()
        expires_at = now + SESSION_LASTS
        with self._database.writing() as connection:
            connection.execute(
                delete(sign_in_attempts).where(sign_in_attempts.c.email_hash == self._hash(email))
            )
            connection.execute(delete(web_sessions).where(web_sessions.c.expires_at <= now))
            connection.execute(
                insert(web_sessions).values(
                    token_hash=self._hash(token),
                    user_id=user.id,
                    csrf_token=csrf_token,
                    created_at=now,
                    expires_at=expires_at,
                )
            )
            self._record(connection, user.organization_id, Action.USER_SIGNED_IN, actor=email)
        return WebSession(
            token,
            csrf_token,
            expires_at,
            user.id,
            email,
            Role(user.role),
            user.organization_id,
            user.organization,
        )

    def web_session(self, token: str) -> WebSession | None:
        parameters = {"token_hash": self._hash(token), "now": self._database.now()}
        with self._database.reading() as connection:
            row = connection.execute(SESSION, parameters).one_or_none()
        if row is None:
            return None
        csrf_token, expires_at, user_id, email, role, organization_id, organization = row
        return WebSession(
            token, csrf_token, expires_at, user_id, email, Role(role), organization_id, organization
        )

    def sign_out(self, token: str) -> None:
        session = self.web_session(token)
        if session is None:
            return
        with self._database.writing() as connection:
            connection.execute(delete(web_sessions).where(web_sessions.c.token_hash == self._hash(token)))
            self._record(connection, session.organization_id, Action.USER_SIGNED_OUT, actor=session.email)

    def change_password(self, session: WebSession, current: str, wanted: str) -> None:
        """Every other session of the user ends."""
        self._count_attempt(session.email)
        with self._database.reading() as connection:
            user = self._user(connection, session.email)
        if user is None or not is_password(current, user.password_hash):
            raise InvalidCredentials
        password_hash = hash_password(wanted)
        with self._database.writing() as connection:
            self._set_password(connection, user, password_hash, actor=session.email, keep_token=session.token)

    def members(self, organization_id: int) -> list[tuple[str, str]]:
        """E-mail address and role of everybody who signs in, by address."""
        query = select(users.c.email, users.c.role).where(users.c.organization_id == organization_id)
        with self._database.reading() as connection:
            return [(row.email, row.role) for row in connection.execute(query.order_by(users.c.email))]

    def reset_password(self, email: str, *, actor: str) -> str:
        """For who has lost it: a new password, known only to the caller. Ends every session."""
        email, password = normalized_email(email), generate_password()
        password_hash = hash_password(password)
        with self._database.writing() as connection:
            user = self._user(connection, email)
            if user is None:
                raise InvalidParameter("email", "no account uses this email address")
            self._set_password(connection, user, password_hash, actor=actor, keep_token="")
        return password

    def _set_password(
        self,
        connection: Connection,
        user: UserRow,
        password_hash: str,
        *,
        actor: str,
        keep_token: str,
    ) -> None:
        connection.execute(update(users).where(users.c.id == user.id).values(password_hash=password_hash))
        connection.execute(
            delete(web_sessions).where(
                web_sessions.c.user_id == user.id, web_sessions.c.token_hash != self._hash(keep_token)
            )
        )
        connection.execute(
            delete(sign_in_attempts).where(sign_in_attempts.c.email_hash == self._hash(user.email))
        )
        self._record(
            connection, user.organization_id, Action.USER_PASSWORD_CHANGED, actor=actor, subject=user.email
        )

    def _create_user(
        self,
        connection: Connection,
        organization_id: int,
        email: str,
        password_hash: str,
        role: Role,
        actor: str,
    ) -> None:
        email = normalized_email(email)
        if not 3 <= len(email) <= LONGEST_EMAIL or "@" not in email[1:-1]:
            raise InvalidParameter("email", "an email address")
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

    def _user(self, connection: Connection, email: str) -> UserRow | None:
        query = (
            select(
                users.c.id,
                users.c.email,
                users.c.role,
                users.c.organization_id,
                users.c.password_hash,
                organizations.c.name,
            )
            .join(organizations, organizations.c.id == users.c.organization_id)
            .where(users.c.email == email)
        )
        row = connection.execute(query).one_or_none()
        return UserRow(*row) if row else None

    def _count_attempt(self, email: str) -> None:
        """Before the password is looked at, so that guesses made at once do not overshoot the limit."""
        now = self._database.now()
        dialect = sqlite if self._database.is_sqlite else postgresql
        attempt = dialect.insert(sign_in_attempts).values(
            email_hash=self._hash(email), window_ends_at=now + ATTEMPT_WINDOW, attempt_count=1
        )
        counted = attempt.on_conflict_do_update(
            index_elements=[sign_in_attempts.c.email_hash],
            set_={"attempt_count": sign_in_attempts.c.attempt_count + 1},
        ).returning(sign_in_attempts.c.attempt_count, sign_in_attempts.c.window_ends_at)
        with self._database.writing() as connection:
            connection.execute(delete(sign_in_attempts).where(sign_in_attempts.c.window_ends_at <= now))
            attempt_count, window_ends_at = connection.execute(counted).one()
        if attempt_count > ATTEMPTS_A_WINDOW:
            raise RateLimited(max(1, round((window_ends_at - now).total_seconds())))


def normalized_email(email: str) -> str:
    """As stored and looked up; what cannot be shown is left out, since PostgreSQL takes no NUL."""
    return "".join(character for character in email.strip().casefold() if character.isprintable())
