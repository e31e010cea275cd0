"""When the service was up and could receive: spans from the first to the last sign of life of its nodes."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.repository import Repository
from errata.state.table import Table, objects

# As long as check-ins of monitors are kept.
FORGOTTEN_AFTER = timedelta(days=400)


class Uptime(Table):
    __tablename__ = "uptimes"

    began_at: Mapped[datetime] = mapped_column(primary_key=True)
    alive_at: Mapped[datetime]


class Uptimes(Repository):
    def note(self, began_at: datetime) -> None:
        """Notes a sign of life of the span that began then. May be skipped while the database is busy: the
        next one comes soon."""
        now = self._database.now()

        def write(connection: Connection) -> None:
            known = update(Uptime).where(Uptime.began_at == began_at).values(alive_at=now)
            if not connection.execute(known).rowcount:
                connection.execute(insert(Uptime).values(began_at=began_at, alive_at=now))
                connection.execute(delete(Uptime).where(Uptime.alive_at < now - FORGOTTEN_AFTER))

        self._database.note(write)

    def absences(self) -> list[tuple[datetime, datetime]]:
        """Spans in which no node was up, the earliest first; none is known before the first sign of life."""
        with self._database.reading() as connection:
            spans = objects(Uptime, connection.execute(select(Uptime).order_by(Uptime.began_at)))
        return list(_between(spans))


def _between(spans: list[Uptime]) -> Iterator[tuple[datetime, datetime]]:
    alive_at = spans[0].alive_at if spans else None
    for span in spans:
        if alive_at is not None and alive_at < span.began_at:
            yield alive_at, span.began_at
        alive_at = max(alive_at or span.alive_at, span.alive_at)
