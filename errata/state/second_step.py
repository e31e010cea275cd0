"""The second step of a sign-in: a code makes a session of a half sign-in."""

from errata.state.authenticators import Authenticators, Holder
from errata.state.database import Database
from errata.state.errors import SignInExpired
from errata.state.half_sign_ins import HalfSignIns
from errata.state.repository import Repository
from errata.state.sessions import Sessions, WebSession
from errata.state.users import Users


class SecondStep(Repository):
    def __init__(
        self,
        database: Database,
        secret: bytes,
        users: Users,
        sessions: Sessions,
        authenticators: Authenticators,
        half_sign_ins: HalfSignIns,
    ) -> None:
        super().__init__(database, secret)
        self._users = users
        self._sessions = sessions
        self._authenticators = authenticators
        self._half_sign_ins = half_sign_ins

    def is_awaited(self, token: str) -> bool:
        return self._half_sign_ins.find(token) is not None

    def take(self, token: str, code: str) -> WebSession:
        """Signs the user in. Raises SignInExpired, InvalidCode, and RateLimited after too many attempts; a
        wrong code does not end the half sign-in."""
        half = self._half_sign_ins.find(token)
        user = self._users.find(half.email) if half else None
        if half is None or user is None:
            raise SignInExpired
        holder = Holder(user.id, user.email, user.organization_id)
        with self._authenticators.code_given(holder, code) as connection:
            self._half_sign_ins.end(connection, token)
        return self._sessions.begin_proven(user, half.confirmed_at)
