"""Changes of passwords. Each ends the user's other sessions."""

from collections.abc import Sequence

from sqlalchemy import select, update

from errata.email_address import checked_email
from errata.errors import InvalidParameter
from errata.state.database import Database
from errata.state.errors import UserExists
from errata.state.members import Members
from errata.state.password_hashes import generate_password, hash_password
from errata.state.repository import Repository
from errata.state.sessions import Sessions, WebSession
from errata.state.users import Role, User, Users, normalized_email, organizations_of


class Passwords(Repository):
    def __init__(
        self,
        database: Database,
        secret: bytes,
        users: Users,
        members: Members,
        sessions: Sessions,
    ) -> None:
        super().__init__(database, secret)
        self._users = users
        self._members = members
        self._sessions = sessions

    def change(self, session: WebSession, current: str, wanted: str) -> None:
        user = self._sessions.checked_user(session, current)
        self._replace(user, wanted, actor=session.email, keep_token=session.token)

    def add_user(
        self,
        organization_id: int,
        email: str,
        role: Role,
        projects: Sequence[str] | None = None,
        *,
        actor: str,
    ) -> str:
        """Makes somebody a member of all projects, or of those with these slugs, with a new password, and
        returns it; empty for somebody with an account, who keeps the password. Raises ProjectNotFound, and
        UserExists for somebody who is in the organization."""
        email, password = checked_email(email), generate_password()
        password_hash = hash_password(password)
        with self._database.writing_alone() as connection:
            user_id = connection.execute(select(User.id).where(User.email == email)).scalar_one_or_none()
            joined = organizations_of(connection, user_id) if user_id is not None else []
            if organization_id in joined:
                raise UserExists(email)
            if user_id is None:
                user_id = self._users.create(connection, organization_id, email, password_hash)
            elif not joined:
                connection.execute(update(User).where(User.id == user_id).values(password_hash=password_hash))
            ids = (
                None if projects is None else self._members.project_ids(connection, organization_id, projects)
            )
            self._members.join(connection, organization_id, user_id, role, ids, actor=actor)
        return "" if joined else password

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
            self._users.change_password_hash(connection, user.id, user.email, password_hash, actor=actor)
            self._sessions.end_others(connection, user.id, keep_token)
            self._sessions.forget_attempts(connection, user)
