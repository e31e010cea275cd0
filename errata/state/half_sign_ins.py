"""Sign-ins between their two steps: the password was right, and the code is still to come."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select

from errata.state.activity_actions import Action
from errata.state.errors import SignInExpired
from errata.state.keys import RANDOM_LENGTH, generate_token
from errata.state.repository import Repository
from errata.state.tables import half_sign_ins
from errata.state.users import User

HALF_SIGN_IN_LASTS = timedelta(minutes=5)


@dataclass(frozen=True)
class HalfSignIn:
    """`confirmed_at`: when the user gave the password; None if they came without one."""

    user_id: int
    email: str
    confirmed_at: datetime | None


class HalfSignIns(Repository):
    def begin(self, user: User, confirmed_at: datetime | None) -> str:
        """The token by which one browser may give the code."""
        token, now = generate_token(), self._database.now()
        with self._database.writing() as connection:
            connection.execute(delete(half_sign_ins).where(half_sign_ins.c.expires_at <= now))
            connection.execute(
                insert(half_sign_ins).values(
                    token_hash=self._hash(token),
                    user_id=user.id,
                    confirmed_at=confirmed_at,
                    expires_at=now + HALF_SIGN_IN_LASTS,
                )
            )
            self._record(connection, user.organization_id, Action.USER_CODE_ASKED, actor=user.email)
        return token

    def find(self, token: str) -> HalfSignIn | None:
        if len(token) != RANDOM_LENGTH or not token.isascii():
            return None
        query = (
            select(half_sign_ins.c.user_id, User.email, half_sign_ins.c.confirmed_at)
            .join(User, User.id == half_sign_ins.c.user_id)
            .where(
                half_sign_ins.c.token_hash == self._hash(token),
                half_sign_ins.c.expires_at > self._database.now(),
            )
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return HalfSignIn(*row) if row else None

    def end(self, connection: Connection, token: str) -> None:
        """Raises SignInExpired if another request has ended it."""
        own = half_sign_ins.c.token_hash == self._hash(token)
        if not connection.execute(delete(half_sign_ins).where(own)).rowcount:
            raise SignInExpired


def end_half_sign_ins(connection: Connection, user_id: int) -> None:
    connection.execute(delete(half_sign_ins).where(half_sign_ins.c.user_id == user_id))
