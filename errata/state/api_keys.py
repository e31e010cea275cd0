"""API keys authenticate requests and shippers: one current per organization, and a next one during a
rotation."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.state.activity_actions import Action
from errata.state.database import Database
from errata.state.errors import KeyNotKept, NextKeyExists, NextKeyNotFound
from errata.state.keys import API_KEY_PREFIX, RANDOM_LENGTH, IssuedKey, generate_api_key, shown_prefix
from errata.state.organization import Organization
from errata.state.sealed_secrets import SealedSecrets
from errata.state.table import objects, unique_where
from errata.state.used_keys import Used, UsedKey, UsedKeys

PURPOSE = "api_key"


@dataclass(frozen=True)
class ApiKeyOwner:
    organization_id: int
    organization: str
    created_at: datetime
    prefix: str


class ApiKey(UsedKey):
    """A key whose `activated_at` is None is the next one, valid beside the current one. `sealed_id`: its
    sealed text."""

    __tablename__ = "api_keys"
    __table_args__ = (
        unique_where(
            "revoked_at is null and activated_at is not null",
            "uq_api_keys_organization_id_current",
            "organization_id",
        ),
        unique_where(
            "revoked_at is null and activated_at is null",
            "uq_api_keys_organization_id_next",
            "organization_id",
        ),
    )

    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    key_hash: Mapped[str] = mapped_column(String(64), unique=True, repr=False)
    activated_at: Mapped[datetime | None] = mapped_column(default=None)
    sealed_id: Mapped[str] = mapped_column(String(32), server_default="")

    def rotate_by(self, days: int) -> datetime | None:
        """When the key is that old; None for 0 days, which mean never."""
        return self.created_at + timedelta(days=days) if days else None


OWNER = (
    select(
        ApiKey.id,
        ApiKey.organization_id,
        Organization.name,
        ApiKey.created_at,
        ApiKey.prefix,
        ApiKey.last_used_at,
    )
    .join(Organization, Organization.id == ApiKey.organization_id)
    .where(ApiKey.key_hash == bindparam("key_hash"), ApiKey.revoked_at.is_(None))
)
FORMER_OWNER = select(ApiKey.organization_id).where(
    ApiKey.key_hash == bindparam("key_hash"), ApiKey.revoked_at.is_not(None)
)


class ApiKeys(UsedKeys):
    def __init__(self, database: Database, secret: bytes, secrets: SealedSecrets) -> None:
        super().__init__(database, secret)
        self._secrets = secrets

    def owner(self, key: str) -> ApiKeyOwner | None:
        """The owner of a key. Read each time: a regenerated key must fail at once, on every node."""
        if not key.startswith(API_KEY_PREFIX) or len(key) != len(API_KEY_PREFIX) + RANDOM_LENGTH:
            return None
        with self._database.reading() as connection:
            row = connection.execute(OWNER, {"key_hash": self._hash(key)}).one_or_none()
        if row is None:
            return None
        key_id, organization_id, organization, created_at, prefix, last_used_at = row
        read = Used(key_id, organization_id, last_used_at, f"API key {prefix}…", prefix)
        self._note_use(ApiKey, read, Action.API_KEY_USED, Action.API_KEY_LAST_USED)
        return ApiKeyOwner(organization_id, organization, created_at, prefix)

    def former_owner(self, key: str) -> int | None:
        """The organization of a key that was replaced."""
        with self._database.reading() as connection:
            return connection.execute(FORMER_OWNER, {"key_hash": self._hash(key)}).scalar_one_or_none()

    def get(self, organization_id: int) -> ApiKey:
        """The current key."""
        return next(key for key in self._valid(organization_id) if key.activated_at is not None)

    def next(self, organization_id: int) -> ApiKey | None:
        return next((key for key in self._valid(organization_id) if key.activated_at is None), None)

    def text(self, organization_id: int, key: ApiKey) -> str:
        """The whole key. Raises KeyNotKept for a key of a version that kept hashes alone."""
        if not key.sealed_id:
            raise KeyNotKept
        return self._secrets.open(organization_id, key.sealed_id).get_secret_value()

    def reveal(self, organization_id: int, key: ApiKey, *, actor: str) -> str:
        """The whole key, for a person: the log says who viewed it."""
        text = self.text(organization_id, key)
        with self._database.writing() as connection:
            self._record(
                connection, organization_id, Action.API_KEY_VIEWED, actor=actor, key_prefix=key.prefix
            )
        return text

    def prepare(self, organization_id: int, *, actor: str) -> IssuedKey:
        """Issues the next key, valid at once beside the current one. Raises NextKeyExists."""
        try:
            with self._database.writing() as connection:
                return self._issue(connection, organization_id, Action.API_KEY_PREPARED, actor, is_next=True)
        except IntegrityError as error:
            raise NextKeyExists from error

    def promote(self, organization_id: int, *, actor: str) -> ApiKey:
        """Makes the next key the current one; the former is invalid when this returns. Raises
        NextKeyNotFound."""
        with self._database.writing() as connection:
            self._lock(connection, organization_id)
            self._revoke(connection, organization_id, is_next=False)
            prefix = connection.execute(
                update(ApiKey)
                .where(ApiKey.organization_id == organization_id, ApiKey.revoked_at.is_(None))
                .values(activated_at=self._database.now())
                .returning(ApiKey.prefix)
            ).scalar_one_or_none()
            if prefix is None:
                raise NextKeyNotFound
            self._record(connection, organization_id, Action.API_KEY_PROMOTED, actor=actor, key_prefix=prefix)
        return self.get(organization_id)

    def discard(self, organization_id: int, *, actor: str) -> None:
        """Revokes the next key. Raises NextKeyNotFound."""
        with self._database.writing() as connection:
            revoked = self._revoke(connection, organization_id, is_next=True)
            if not revoked:
                raise NextKeyNotFound
            self._record(
                connection, organization_id, Action.API_KEY_DISCARDED, actor=actor, key_prefix=revoked[0]
            )

    def regenerate(self, organization_id: int, *, actor: str) -> IssuedKey:
        """Replaces the key, and a next one too; the old values are invalid when this returns."""
        with self._database.writing() as connection:
            # Two at once on PostgreSQL: the second waits here, then replaces the first one's key.
            self._lock(connection, organization_id)
            self._revoke(connection, organization_id, is_next=False)
            self._revoke(connection, organization_id, is_next=True)
            return self.issue(connection, organization_id, Action.API_KEY_REGENERATED, actor)

    def issue(self, connection: Connection, organization_id: int, action: Action, actor: str) -> IssuedKey:
        return self._issue(connection, organization_id, action, actor, is_next=False)

    def _issue(
        self, connection: Connection, organization_id: int, action: Action, actor: str, *, is_next: bool
    ) -> IssuedKey:
        key, now = generate_api_key(), self._database.now()
        prefix = shown_prefix(key)
        key_id = connection.execute(
            insert(ApiKey)
            .values(
                organization_id=organization_id,
                key_hash=self._hash(key),
                prefix=prefix,
                created_at=now,
                activated_at=None if is_next else now,
                sealed_id=self._secrets.keep(connection, organization_id, PURPOSE, key),
            )
            .returning(ApiKey.id)
        ).scalar_one()
        self._record(connection, organization_id, action, actor=actor, key_prefix=prefix)
        return IssuedKey(key_id, key, prefix, now)

    def _valid(self, organization_id: int) -> list[ApiKey]:
        query = select(ApiKey).where(ApiKey.organization_id == organization_id, ApiKey.revoked_at.is_(None))
        with self._database.reading() as connection:
            return objects(ApiKey, connection.execute(query))

    def _revoke(self, connection: Connection, organization_id: int, *, is_next: bool) -> list[str]:
        """The prefixes of the revoked keys: one or none. Their sealed texts are gone with them."""
        rows = connection.execute(
            update(ApiKey)
            .where(
                ApiKey.organization_id == organization_id,
                ApiKey.revoked_at.is_(None),
                ApiKey.activated_at.is_(None) if is_next else ApiKey.activated_at.is_not(None),
            )
            .values(revoked_at=self._database.now())
            .returning(ApiKey.prefix, ApiKey.sealed_id)
        ).all()
        for row in rows:
            self._secrets.drop(connection, organization_id, row.sealed_id)
        return [row.prefix for row in rows]

    def _lock(self, connection: Connection, organization_id: int) -> None:
        connection.execute(
            select(Organization.id).where(Organization.id == organization_id).with_for_update()
        ).one()
