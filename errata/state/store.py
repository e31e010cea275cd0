"""The state store as the programs see it."""

from errata.state.accounts import Accounts
from errata.state.activity import ActivityLog
from errata.state.database import Clock, Database, utc_now

SHORTEST_SECRET_BYTES = 16


class Store(Accounts, ActivityLog):
    @classmethod
    def open(cls, url: str, secret: bytes, *, clock: Clock = utc_now) -> "Store":
        """`secret` keys every stored hash: with another one, no key and no session is known any more."""
        if len(secret) < SHORTEST_SECRET_BYTES:
            raise ValueError(f"the secret has {len(secret)} bytes, fewer than {SHORTEST_SECRET_BYTES}")
        return cls(Database(url, clock), secret)

    def migrate(self) -> None:
        self._database.migrate()

    def ping(self) -> None:
        """Raises StateUnavailable when the database cannot answer or was never migrated."""
        self._database.ping()

    def close(self) -> None:
        self._database.close()
