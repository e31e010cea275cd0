"""Changes of passwords. Each ends the user's other sessions."""

from sqlalchemy.exc import IntegrityError

from errata.errors import InvalidParameter
from errata.state.database import Database
from errata.state.password_hashes import generate_password, hash_password
from errata.state.repository import Repository
from errata.state.sessions import Sessions, WebSession
from errata.state.sign_in_attempts import SignInAttempts
from errata.state.users import Role, User, Users, normalized_email


class Passwords(Repository):
    def __init__(
        self, database: Database, secret: bytes, users: Users, sessions: Sessions, attempts: SignInAttempts
    ) -> None:
        super().__init__(database, secret)
        self._users = users
        self._sessions = sessions
        self._attempts = attempts

    def change(self, session: WebSession, current: str, wanted: str) -> None:
        user = self._sessions.checked_user(session, current)
        self._replace(user, wanted, actor=session.email, keep_token=session.token)

    def add_user(self, organization_id: int, email: str, role: Role, *, actor: str) -> str:
        """Creates a user with a new password, and returns it."""
        password = generate_password()
        password_hash = hash_password(password)
        try:
            with self._database.writing() as connection:
                self._users.create(connection, organization_id, email, password_hash, role, actor)
        except IntegrityError as error:
            raise InvalidParameter("email", "a user with this email address exists already") from error
        return password

    def reset(self, email: str, *, actor: str) -> str:
        """Sets a new password for a user who lost the old one, and returns it."""
        password = generate_password()
        user = self._users.find(normalized_email(email))
        if user is None:
            raise InvalidParameter("email", "no account uses this email address")
        self._replace(user, password, actor=actor, keep_token="")
        return password

    def _replace(self, user: User, password: str, *, actor: str, keep_token: str) -> None:
        password_hash = hash_password(password)
        with self._database.writing() as connection:
            self._users.change_password_hash(connection, user, password_hash, actor=actor)
            self._sessions.end_others(connection, user.id, keep_token)
            self._attempts.forget(connection, user.email)
