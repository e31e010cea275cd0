"""Tokens and passwords of other services: kept sealed, recognized by their last characters, never shown."""

import logging
from datetime import datetime
from uuid import uuid4

from pydantic import SecretStr
from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.errors import InvalidParameter
from errata.state.database import Database
from errata.state.errors import SecretUnreadable
from errata.state.repository import Repository
from errata.state.seal import Seal
from errata.state.table import Table

log = logging.getLogger("errata.state")

LONGEST_SECRET = 8_192
SHOWN_LENGTH = 4
# The end of a short secret would be most of it.
SHORTEST_SHOWN = 16


class SealedSecret(Table):
    """`ending`: the part of a secret that may be shown, its last characters, or nothing of a short one."""

    __tablename__ = "sealed_secrets"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    purpose: Mapped[str] = mapped_column(String(32))
    sealed: Mapped[str] = mapped_column(repr=False)
    ending: Mapped[str] = mapped_column(String(8))
    created_at: Mapped[datetime]


class SealedSecrets(Repository):
    """The sealed secrets of all repositories, which keep the ids."""

    def __init__(self, database: Database, secret: bytes, seal: Seal) -> None:
        super().__init__(database, secret)
        self._seal = seal

    def open(self, organization_id: int, secret_id: str) -> SecretStr:
        """Opens a secret for immediate use, never to be logged or returned. Raises SecretUnreadable."""
        query = select(SealedSecret.purpose, SealedSecret.sealed).where(
            SealedSecret.id == secret_id, SealedSecret.organization_id == organization_id
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise SecretUnreadable("it no longer exists")
        return self._seal.open(row.sealed, _context(secret_id, organization_id, row.purpose))

    def reseal(self) -> int:
        """Seals secrets of a previous key again; returns how many still need another key."""
        unreadable = 0
        with self._database.writing_alone() as connection:
            for row in connection.execute(select(SealedSecret)).all():
                if self._seal.is_current(row.sealed):
                    continue
                context = _context(row.id, row.organization_id, row.purpose)
                try:
                    text = self._seal.open(row.sealed, context)
                except SecretUnreadable:
                    unreadable += 1
                    continue
                sealed = self._seal.close(text.get_secret_value(), context)
                connection.execute(
                    update(SealedSecret).where(SealedSecret.id == row.id).values(sealed=sealed)
                )
        if unreadable:
            log.warning("%d sealed secrets can't be read with this ERRATA_SECRET", unreadable)
        return unreadable

    def keep(self, connection: Connection, organization_id: int, purpose: str, text: str) -> str:
        """The id of the stored secret. `purpose` names its use, such as `integration` or `channel`."""
        _check(text)
        secret_id = uuid4().hex
        connection.execute(
            insert(SealedSecret).values(
                id=secret_id,
                organization_id=organization_id,
                purpose=purpose,
                sealed=self._seal.close(text, _context(secret_id, organization_id, purpose)),
                ending=_ending(text),
                created_at=self._database.now(),
            )
        )
        return secret_id

    def drop(self, connection: Connection, organization_id: int, secret_id: str) -> None:
        connection.execute(
            delete(SealedSecret).where(
                SealedSecret.id == secret_id, SealedSecret.organization_id == organization_id
            )
        )


def _check(text: str) -> None:
    if not 0 < len(text) <= LONGEST_SECRET or not text.isprintable():
        raise InvalidParameter("token", f"1 to {LONGEST_SECRET:,} characters on one line")


def _ending(text: str) -> str:
    return text[-SHOWN_LENGTH:] if len(text) >= SHORTEST_SHOWN else ""


def _context(secret_id: str, organization_id: int, purpose: str) -> str:
    return f"{organization_id}/{purpose}/{secret_id}"
