"""When a key or token was last used, and in the activity log its first and last use of each day."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection, String, or_, update
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.table import Table

NOTE_USE_EVERY = timedelta(minutes=1)


class UsedKey(Table):
    """What tables of keys have in common."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(primary_key=True)
    prefix: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None] = mapped_column(default=None)
    last_used_at: Mapped[datetime | None] = mapped_column(default=None)


@dataclass(frozen=True)
class Used:
    """A row of a table of keys that was read for a request. `actor`: as the activity log names it."""

    id: int
    organization_id: int
    last_used_at: datetime | None
    actor: str
    key_prefix: str
    subject: str = ""


class UsedKeys(Repository):
    def _note_use(self, table: type[UsedKey], key: Used, used: Action, last_used: Action) -> None:
        """Once a minute. May be skipped where the database is busy."""
        now, before = self._database.now(), key.last_used_at
        if before is not None and now - before < NOTE_USE_EVERY:
            return

        def write(connection: Connection) -> None:
            # Of several nodes here at once, one finds the condition still true.
            is_due = or_(table.last_used_at.is_(None), table.last_used_at <= now - NOTE_USE_EVERY)
            noted = connection.execute(
                update(table).where(table.id == key.id, is_due).values(last_used_at=now)
            ).rowcount
            if noted and (before is None or before.date() != now.date()):
                record = partial(
                    self._record,
                    connection,
                    key.organization_id,
                    actor=key.actor,
                    subject=key.subject,
                    key_prefix=key.key_prefix,
                )
                if before is not None:
                    record(last_used, at=before)
                record(used)

        self._database.note(write)
