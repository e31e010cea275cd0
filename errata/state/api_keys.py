"""API keys: one current per organization. They authenticate requests and the shipper."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, insert, or_, select, update

from errata.state.activity_actions import Action
from errata.state.keys import API_KEY_PREFIX, RANDOM_LENGTH, IssuedKey, generate_api_key, shown_prefix
from errata.state.repository import Repository
from errata.state.tables import api_keys, organizations

NOTE_USE_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class ApiKeyOwner:
    organization_id: int
    organization: str
    created_at: datetime
    prefix: str


@dataclass(frozen=True)
class ApiKey:
    prefix: str
    created_at: datetime
    last_used_at: datetime | None


OWNER = (
    select(
        api_keys.c.id,
        api_keys.c.organization_id,
        organizations.c.name,
        api_keys.c.created_at,
        api_keys.c.prefix,
        api_keys.c.last_used_at,
    )
    .join(organizations, organizations.c.id == api_keys.c.organization_id)
    .where(api_keys.c.key_hash == bindparam("key_hash"), api_keys.c.revoked_at.is_(None))
)


class ApiKeys(Repository):
    def owner(self, key: str) -> ApiKeyOwner | None:
        """The owner of a key. Read each time: a regenerated key must fail at once, on every node."""
        if not key.startswith(API_KEY_PREFIX) or len(key) != len(API_KEY_PREFIX) + RANDOM_LENGTH:
            return None
        with self._database.reading() as connection:
            row = connection.execute(OWNER, {"key_hash": self._hash(key)}).one_or_none()
        if row is None:
            return None
        key_id, organization_id, organization, created_at, prefix, last_used_at = row
        now = self._database.now()
        if last_used_at is None or now - last_used_at >= NOTE_USE_EVERY:
            self._note_use(key_id, organization_id, prefix, last_used_at, now)
        return ApiKeyOwner(organization_id, organization, created_at, prefix)

    def get(self, organization_id: int) -> ApiKey:
        query = select(api_keys.c.prefix, api_keys.c.created_at, api_keys.c.last_used_at).where(
            api_keys.c.organization_id == organization_id, api_keys.c.revoked_at.is_(None)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one()
        return ApiKey(row.prefix, row.created_at, row.last_used_at)

    def regenerate(self, organization_id: int, *, actor: str) -> IssuedKey:
        """Replaces the key; the old value is invalid when this returns."""
        with self._database.writing() as connection:
            # Two at once on PostgreSQL: the second waits here, then replaces the first one's key.
            connection.execute(
                select(organizations.c.id).where(organizations.c.id == organization_id).with_for_update()
            ).one()
            connection.execute(
                update(api_keys)
                .where(api_keys.c.organization_id == organization_id, api_keys.c.revoked_at.is_(None))
                .values(revoked_at=self._database.now())
            )
            return self.issue(connection, organization_id, Action.API_KEY_REGENERATED, actor)

    def issue(self, connection: Connection, organization_id: int, action: Action, actor: str) -> IssuedKey:
        key, now = generate_api_key(), self._database.now()
        prefix = shown_prefix(key)
        key_id = connection.execute(
            insert(api_keys)
            .values(organization_id=organization_id, key_hash=self._hash(key), prefix=prefix, created_at=now)
            .returning(api_keys.c.id)
        ).scalar_one()
        self._record(connection, organization_id, action, actor=actor, key_prefix=prefix)
        return IssuedKey(key_id, key, prefix, now)

    def _note_use(
        self, key_id: int, organization_id: int, prefix: str, last_used_at: datetime | None, now: datetime
    ) -> None:
        def write(connection: Connection) -> None:
            # Of several nodes here at once, one finds the condition still true.
            noted = connection.execute(
                update(api_keys)
                .where(
                    api_keys.c.id == key_id,
                    or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at <= now - NOTE_USE_EVERY),
                )
                .values(last_used_at=now)
            ).rowcount
            if noted and (last_used_at is None or last_used_at.date() != now.date()):
                actor = f"API key {prefix}…"
                self._record(connection, organization_id, Action.API_KEY_USED, actor=actor, key_prefix=prefix)

        self._database.note(write)
