"""The limits of guesses at passwords and codes, by account, address and time window."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from errata_wire.address import network
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import String

from errata.errors import RateLimited
from errata.state.origin import address
from errata.state.repository import Repository
from errata.state.table import Table

# From one address for one account.
ATTEMPTS_A_WINDOW = 10
ATTEMPT_WINDOW = timedelta(minutes=5)
# From all addresses together that the account was not signed in to from.
STRANGERS_ATTEMPTS = 100
ADDRESS_KNOWN_FOR = timedelta(days=180)


class Together(StrEnum):
    """Whose attempts for an account are counted together, in place of an address."""

    PASSWORDS = "strangers' passwords"
    CODES = "strangers' codes"


# Whoever guesses codes has the password already.
MOST_OF_STRANGERS = {Together.PASSWORDS: STRANGERS_ATTEMPTS, Together.CODES: ATTEMPTS_A_WINDOW}


class SignInAttempt(Table):
    """By e-mail as typed, known or not: a limit on known ones alone would reveal accounts. `address_hash`: or
    whose attempts are counted together, a value of `Together`."""

    __tablename__ = "sign_in_attempts"

    email_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    address_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    window_ends_at: Mapped[datetime]
    attempt_count: Mapped[int]


class SignInAddress(Table):
    """Where someone signed in from: strangers' attempts do not lock them out there."""

    __tablename__ = "sign_in_addresses"

    email_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    address_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    signed_in_at: Mapped[datetime]


class SignInAttempts(Repository):
    def count(self, email: str, together: Together = Together.PASSWORDS) -> None:
        """Counts an attempt from the address of this request. Raises RateLimited.

        Called before the password is compared, so that simultaneous guesses do not exceed the limit.
        """
        now, own = self._database.now(), self._own(email)
        with self._database.writing() as connection:
            connection.execute(delete(SignInAttempt).where(SignInAttempt.window_ends_at <= now))
        with self._database.writing() as connection:
            count, ends_at = self._counted(connection, own, now)
            is_too_many = count > ATTEMPTS_A_WINDOW
            if not is_too_many and not self._is_known(connection, own, now):
                # After its own limit an address adds nothing, so that no single one locks out others.
                strangers = own | {"address_hash": together.value}
                count, ends_at = self._counted(connection, strangers, now)
                is_too_many = count > MOST_OF_STRANGERS[together]
        if is_too_many:
            raise RateLimited(max(1, round((ends_at - now).total_seconds())))

    def forget(self, connection: Connection, email: str) -> None:
        """After the last step of a sign-in, whose address is known from now on."""
        now, own = self._database.now(), self._own(email)
        connection.execute(delete(SignInAttempt).filter_by(email_hash=own["email_hash"]))
        connection.execute(delete(SignInAddress).where(SignInAddress.signed_in_at <= now - ADDRESS_KNOWN_FOR))
        if address():
            noted = self._dialect.insert(SignInAddress).values(**own, signed_in_at=now)
            keys = ["email_hash", "address_hash"]
            connection.execute(noted.on_conflict_do_update(index_elements=keys, set_={"signed_in_at": now}))

    def _counted(self, connection: Connection, row: dict[str, str], now: datetime) -> tuple[int, datetime]:
        """Attempts in the window with this one, and when it ends."""
        attempt = self._dialect.insert(SignInAttempt).values(
            **row, window_ends_at=now + ATTEMPT_WINDOW, attempt_count=1
        )
        counted = attempt.on_conflict_do_update(
            index_elements=["email_hash", "address_hash"],
            set_={"attempt_count": SignInAttempt.attempt_count + 1},
        ).returning(SignInAttempt.attempt_count, SignInAttempt.window_ends_at)
        count, ends_at = connection.execute(counted).one()
        return count, ends_at

    def _is_known(self, connection: Connection, own: dict[str, str], now: datetime) -> bool:
        query = select(SignInAddress.signed_in_at).filter_by(**own)
        signed_in_at = connection.execute(query).scalar_one_or_none()
        return signed_in_at is not None and now - signed_in_at < ADDRESS_KNOWN_FOR

    def _own(self, email: str) -> dict[str, str]:
        return {"email_hash": self._hash(email), "address_hash": self._hash(network(address()))}

    @property
    def _dialect(self) -> Any:
        return sqlite if self._database.is_sqlite else postgresql
