"""Sign-ins between their two steps: the password was right, and the code is still to come."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.state.activity_actions import Action
from errata.state.errors import SignInExpired
from errata.state.keys import RANDOM_LENGTH, generate_token
from errata.state.repository import Repository
from errata.state.table import Table
from errata.state.users import User

HALF_SIGN_IN_LASTS = timedelta(minutes=5)


class HalfSignIn(Table):
    """`confirmed_at`: when the user gave the password; None if they came without one."""

    __tablename__ = "half_sign_ins"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True, repr=False)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    confirmed_at: Mapped[datetime | None] = mapped_column(default=None)
    expires_at: Mapped[datetime] = mapped_column(index=True)
    email: str = ""


class HalfSignIns(Repository):
    def begin(self, user: User, confirmed_at: datetime | None) -> str:
        """The token by which one browser may give the code."""
        token, now = generate_token(), self._database.now()
        with self._database.writing() as connection:
            connection.execute(delete(HalfSignIn).where(HalfSignIn.expires_at <= now))
            connection.execute(
                insert(HalfSignIn).values(
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
            select(HalfSignIn, User.email)
            .join(User, User.id == HalfSignIn.user_id)
            .where(
                HalfSignIn.token_hash == self._hash(token),
                HalfSignIn.expires_at > self._database.now(),
            )
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return HalfSignIn(**row._mapping) if row else None

    def end(self, connection: Connection, token: str) -> None:
        """Raises SignInExpired if another request has ended it."""
        own = HalfSignIn.token_hash == self._hash(token)
        if not connection.execute(delete(HalfSignIn).where(own)).rowcount:
            raise SignInExpired


def end_half_sign_ins(connection: Connection, user_id: int) -> None:
    connection.execute(delete(HalfSignIn).where(HalfSignIn.user_id == user_id))
