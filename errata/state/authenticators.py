"""Totp apps of people, and their recovery codes: each code is accepted once."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import BigInteger, String

from errata.state.activity_actions import Action
from errata.state.database import Database
from errata.state.errors import InvalidCode
from errata.state.repository import Repository
from errata.state.sealed_secrets import SealedSecrets
from errata.state.sign_in_attempts import SignInAttempts, Together
from errata.state.table import Table
from errata.state.totp import CODE, RECOVERY_CODES, generate_recovery_code, normalized_code, step_of_code


class Totp(Table):
    """An authenticator app, being set up until `turned_on_at`; no code up to `last_step` is accepted."""

    __tablename__ = "totp"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    secret_id: Mapped[str] = mapped_column(String(32))
    created_at: Mapped[datetime]
    turned_on_at: Mapped[datetime | None] = mapped_column(default=None)
    last_step: Mapped[int] = mapped_column(BigInteger, server_default="0")


class RecoveryCode(Table):
    __tablename__ = "recovery_codes"

    code_hash: Mapped[str] = mapped_column(String(64), primary_key=True, repr=False)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    used_at: Mapped[datetime | None] = mapped_column(default=None)


@dataclass(frozen=True)
class Holder:
    """Who gives a code, and the organization whose activity log has it."""

    user_id: int
    email: str
    organization_id: int


class Authenticators(Repository):
    def __init__(
        self, database: Database, secret: bytes, secrets: SealedSecrets, attempts: SignInAttempts
    ) -> None:
        super().__init__(database, secret)
        self._secrets = secrets
        self._attempts = attempts

    def is_on(self, user_id: int) -> bool:
        return bool(self.are_on([user_id]))

    def are_on(self, user_ids: Collection[int]) -> set[int]:
        """Those of the users who have one."""
        query = select(Totp.user_id).where(Totp.user_id.in_(user_ids), Totp.turned_on_at.is_not(None))
        with self._database.reading() as connection:
            return set(connection.execute(query).scalars())

    def recovery_codes_left(self, user_id: int) -> int:
        query = select(func.count()).where(RecoveryCode.user_id == user_id, RecoveryCode.used_at.is_(None))
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one()

    @contextmanager
    def code_given(self, holder: Holder, code: str) -> Iterator[Connection]:
        """A transaction for what a code allows; it uses the code up. Raises InvalidCode, and RateLimited
        after too many attempts, those of passwords among them from the same address."""
        self._attempts.count(holder.email, Together.CODES)
        try:
            with self._database.writing() as connection:
                self._use(connection, holder, normalized_code(code))
                yield connection
                self._attempts.forget(connection, holder.email)
        except InvalidCode:
            with self._database.writing() as connection:
                self._record(connection, holder.organization_id, Action.USER_CODE_REFUSED, actor=holder.email)
            raise

    def replace_recovery_codes(self, connection: Connection, user_id: int) -> list[str]:
        """New codes, which are shown once and stored nowhere; the former ones end."""
        codes = [generate_recovery_code() for _ in range(RECOVERY_CODES)]
        connection.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
        connection.execute(
            insert(RecoveryCode),
            [
                {"code_hash": self._recovery_hash(user_id, normalized_code(code)), "user_id": user_id}
                for code in codes
            ],
        )
        return codes

    def spend_step(self, connection: Connection, user_id: int, code: str) -> None:
        """Notes the time step of the code, so that neither it nor an earlier one is accepted again. Raises
        InvalidCode."""
        query = select(Totp.organization_id, Totp.secret_id).where(Totp.user_id == user_id)
        kept = connection.execute(query).one_or_none()
        if kept is None:
            raise InvalidCode
        secret = self._secrets.open(kept.organization_id, kept.secret_id).get_secret_value()
        step = step_of_code(secret, code, self._database.now())
        # Of several who give the same code at once, one finds the former step.
        if (
            step is None
            or not connection.execute(
                update(Totp)
                .where(
                    Totp.user_id == user_id,
                    Totp.secret_id == kept.secret_id,
                    Totp.last_step < step,
                )
                .values(last_step=step)
            ).rowcount
        ):
            raise InvalidCode

    def _use(self, connection: Connection, holder: Holder, code: str) -> None:
        if CODE.fullmatch(code):
            self.spend_step(connection, holder.user_id, code)
            return
        used = connection.execute(
            update(RecoveryCode)
            .where(
                RecoveryCode.code_hash == self._recovery_hash(holder.user_id, code),
                RecoveryCode.used_at.is_(None),
            )
            .values(used_at=self._database.now())
        ).rowcount
        if not used:
            raise InvalidCode
        self._record(connection, holder.organization_id, Action.USER_RECOVERY_CODE_USED, actor=holder.email)

    def _recovery_hash(self, user_id: int, code: str) -> str:
        return self._hash(f"recovery code of {user_id}: {code}")
