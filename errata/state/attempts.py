"""Attempts to send the contents of an outbox, with the receiver's responses."""

from datetime import datetime

from sqlalchemy import Table, Update, update

WAITING = "waiting"
LONGEST_ANSWER = 300


def attempted(
    outbox: Table, message_id: str, answer: str, status: str, now: datetime, next_attempt_at: datetime | None
) -> Update:
    """The state after an attempt. Without `next_attempt_at`, it has ended."""
    return (
        update(outbox)
        .where(outbox.c.id == message_id)
        .values(
            status=status,
            answer=answer[:LONGEST_ANSWER],
            attempt_count=outbox.c.attempt_count + 1,
            next_attempt_at=next_attempt_at or now,
            ended_at=None if status == WAITING else now,
        )
    )
