"""Attempts to send the contents of an outbox, with the receiver's responses."""

from datetime import datetime

from sqlalchemy import String, Update, update
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Table

WAITING = "waiting"
LONGEST_ANSWER = 300


class OutboxRow(Table):
    """What outboxes have in common. `id` stays the same over all attempts: a receiver recognizes a
    repetition."""

    __abstract__ = True

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    created_at: Mapped[datetime]
    status: Mapped[str] = mapped_column(String(16), default=WAITING)
    next_attempt_at: Mapped[datetime]
    attempt_count: Mapped[int] = mapped_column(default=0)
    ended_at: Mapped[datetime | None] = mapped_column(default=None)
    answer: Mapped[str] = mapped_column(String(LONGEST_ANSWER), default="")

    @property
    def due_at(self) -> datetime | None:
        """When it is sent next; None while it is being sent, and once it has ended."""
        return self.next_attempt_at if self.status == WAITING else None


def attempted(
    outbox: type[OutboxRow],
    message_id: str,
    answer: str,
    status: str,
    now: datetime,
    next_attempt_at: datetime | None,
) -> Update:
    """The state after an attempt. Without `next_attempt_at`, it has ended."""
    return (
        update(outbox)
        .where(outbox.id == message_id)
        .values(
            status=status,
            answer=answer[:LONGEST_ANSWER],
            attempt_count=outbox.attempt_count + 1,
            next_attempt_at=next_attempt_at or now,
            ended_at=None if status == WAITING else now,
        )
    )
