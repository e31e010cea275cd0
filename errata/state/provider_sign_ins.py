"""Sign-ins for which a browser is at the provider: each is ended by one return, in the same browser."""

import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, insert
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import String

from errata.state.errors import ProviderSignInEnded
from errata.state.keys import RANDOM_LENGTH, generate_token
from errata.state.repository import Repository
from errata.state.table import Table

LASTS = timedelta(minutes=10)


class ProviderSignInRow(Table):
    """Browsers that are at the provider; `destination`: the page they wanted."""

    __tablename__ = "provider_sign_ins"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True, repr=False)
    destination: Mapped[str] = mapped_column(String(2000))
    expires_at: Mapped[datetime] = mapped_column(index=True)


@dataclass(frozen=True)
class ProviderSignIn:
    """`token` is the browser's; what the provider sees follows from it and is stored nowhere."""

    token: str
    state: str
    nonce: str
    code_verifier: str
    destination: str


class ProviderSignIns(Repository):
    def begin(self, destination: str) -> ProviderSignIn:
        """`destination`: the page to go to afterwards."""
        begun, now = self._of(generate_token(), destination), self._database.now()
        with self._database.writing() as connection:
            connection.execute(delete(ProviderSignInRow).where(ProviderSignInRow.expires_at <= now))
            connection.execute(
                insert(ProviderSignInRow).values(
                    token_hash=self._hash(begun.token), destination=destination, expires_at=now + LASTS
                )
            )
        return begun

    def end(self, token: str, state: str) -> ProviderSignIn:
        """Raises ProviderSignInEnded for another browser's, one that has ended, and none."""
        if len(token) != RANDOM_LENGTH or not token.isascii():
            raise ProviderSignInEnded
        expected = self._of(token, "").state
        if not hmac.compare_digest(state.encode("utf-8", "surrogatepass"), expected.encode()):
            raise ProviderSignInEnded
        with self._database.writing() as connection:
            destination = connection.execute(
                delete(ProviderSignInRow)
                .where(
                    ProviderSignInRow.token_hash == self._hash(token),
                    ProviderSignInRow.expires_at > self._database.now(),
                )
                .returning(ProviderSignInRow.destination)
            ).scalar_one_or_none()
        if destination is None:
            raise ProviderSignInEnded
        return self._of(token, destination)

    def _of(self, token: str, destination: str) -> ProviderSignIn:
        state, nonce, verifier = (
            self._hash(f"provider {use}: {token}") for use in ("state", "nonce", "code")
        )
        return ProviderSignIn(token, state, nonce, verifier, destination)
