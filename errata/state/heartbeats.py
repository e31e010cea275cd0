"""When the pipelines of each host last looked for work, and last built."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import String

from errata.state.database import Database
from errata.state.repository import Repository
from errata.state.table import Table, objects

# Pipelines look for work every ten seconds.
STALE_AFTER = timedelta(seconds=120)
# The schedule builds every five minutes; a backfill may delay a build.
LONGEST_WITHOUT_BUILD = timedelta(minutes=30)
# A host that is gone for so long has been given up.
FORGOTTEN_AFTER = timedelta(days=7)
LONGEST_HOST = 200


class Heartbeat(Table):
    """`built_at`: the last build, or the start of the pipelines if that was later."""

    __tablename__ = "heartbeats"

    host: Mapped[str] = mapped_column(String(LONGEST_HOST), primary_key=True)
    alive_at: Mapped[datetime]
    built_at: Mapped[datetime]

    def is_alive(self, now: datetime) -> bool:
        return now - self.alive_at < STALE_AFTER

    def is_building(self, now: datetime) -> bool:
        """Alive, and its last build is not long ago."""
        return self.is_alive(now) and now - self.built_at < LONGEST_WITHOUT_BUILD


class Heartbeats(Repository):
    def all(self) -> list[Heartbeat]:
        """Those of hosts that are not given up, the latest first."""
        since = self._database.now() - FORGOTTEN_AFTER
        query = select(Heartbeat).where(Heartbeat.alive_at > since).order_by(Heartbeat.alive_at.desc())
        with self._database.reading() as connection:
            return objects(Heartbeat, connection.execute(query))


def note_heartbeat(database: Database, host: str, *, has_built: bool) -> None:
    """May be skipped while the database is busy: the next one comes soon."""
    now, name = database.now(), host[:LONGEST_HOST]
    told = {"alive_at": now} | ({"built_at": now} if has_built else {})

    def write(connection: Connection) -> None:
        known = update(Heartbeat).where(Heartbeat.host == name).values(told)
        if not connection.execute(known).rowcount:
            connection.execute(insert(Heartbeat).values(host=name, alive_at=now, built_at=now))
            connection.execute(delete(Heartbeat).where(Heartbeat.alive_at < now - FORGOTTEN_AFTER))

    database.note(write)
