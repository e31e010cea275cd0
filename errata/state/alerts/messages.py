"""The outbox of a channel: messages, repeated until accepted, and the log of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import and_, func, insert, or_, select, update

from errata.state.activity_actions import Action
from errata.state.attempts import attempted
from errata.state.repository import Repository
from errata.state.tables import alert_channels, alert_messages, alert_notices
from errata.state.users import Reader, Role

# After a node was killed while sending, the message stays claimed for this long.
CLAIMED_FOR = timedelta(minutes=2)


@dataclass(frozen=True)
class NewMessage:
    organization_id: int
    project_id: int
    channel_id: str
    kind: str
    subject: str
    content: Mapping[str, Any]
    recipient: str


@dataclass(frozen=True)
class Message:
    """`id` stays the same over all attempts: a receiver recognizes a repetition."""

    id: str
    organization_id: int
    project_id: int
    channel_id: str
    channel_name: str
    channel_kind: str
    kind: str
    subject: str
    content: Mapping[str, Any]
    recipient: str
    created_at: datetime
    status: str
    next_attempt_at: datetime
    attempt_count: int
    ended_at: datetime | None
    answer: str


class AlreadyTold(Exception):
    """Another node has put one of the notices into a message: this message is rolled back."""


MESSAGES = select(
    alert_messages.c.id,
    alert_messages.c.organization_id,
    alert_messages.c.project_id,
    alert_messages.c.channel_id,
    alert_channels.c.name.label("channel_name"),
    alert_channels.c.kind.label("channel_kind"),
    alert_messages.c.kind,
    alert_messages.c.subject,
    alert_messages.c.content,
    alert_messages.c.recipient,
    alert_messages.c.created_at,
    alert_messages.c.status,
    alert_messages.c.next_attempt_at,
    alert_messages.c.attempt_count,
    alert_messages.c.ended_at,
    alert_messages.c.answer,
).join(alert_channels, alert_channels.c.id == alert_messages.c.channel_id)


class AlertMessages(Repository):
    def count(self, channel_id: str, since: datetime) -> int:
        """The number of messages of rules written for the channel; tests are not counted."""
        query = select(func.count()).where(
            alert_messages.c.channel_id == channel_id,
            alert_messages.c.created_at > since,
            alert_messages.c.kind != "test",
        )
        with self._database.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def write(self, new: NewMessage, firing_ids: Sequence[str]) -> bool:
        """Writes the message with its notices; False if another node was faster."""
        try:
            self._write_message(new, firing_ids)
        except AlreadyTold:
            return False
        return True

    def _write_message(self, new: NewMessage, firing_ids: Sequence[str]) -> None:
        message_id, taken = uuid4().hex, 0
        with self._database.writing() as connection:
            for start in range(0, len(firing_ids), 500):
                taken += connection.execute(
                    update(alert_notices)
                    .where(
                        alert_notices.c.channel_id == new.channel_id,
                        alert_notices.c.message_id == "",
                        alert_notices.c.firing_id.in_(firing_ids[start : start + 500]),
                    )
                    .values(message_id=message_id)
                ).rowcount
            if taken < len(firing_ids):
                raise AlreadyTold
            connection.execute(self._inserted(message_id, new))

    def write_test(self, new: NewMessage, *, actor: str, channel_name: str) -> Message:
        """Writes a test message, already claimed: its caller waits for the response."""
        message_id = uuid4().hex
        with self._database.writing() as connection:
            connection.execute(self._inserted(message_id, new, self._database.now() + CLAIMED_FOR))
            self._record(
                connection,
                new.organization_id,
                Action.ALERT_CHANNEL_TESTED,
                actor=actor,
                subject=channel_name,
            )
            row = connection.execute(MESSAGES.where(alert_messages.c.id == message_id)).one()
        return _message(row)

    def due(self, limit: int = 200) -> list[Message]:
        query = (
            MESSAGES.where(
                alert_messages.c.status == "waiting",
                alert_messages.c.next_attempt_at <= self._database.now(),
                alert_channels.c.deleted_at.is_(None),
            )
            .order_by(alert_messages.c.next_attempt_at, alert_messages.c.id)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return [_message(row) for row in connection.execute(query)]

    def claim(self, message: Message) -> bool:
        """Claims a message; of two nodes only one succeeds."""
        with self._database.writing() as connection:
            return bool(
                connection.execute(
                    update(alert_messages)
                    .where(
                        alert_messages.c.id == message.id,
                        alert_messages.c.status == "waiting",
                        alert_messages.c.attempt_count == message.attempt_count,
                        alert_messages.c.next_attempt_at == message.next_attempt_at,
                    )
                    .values(next_attempt_at=self._database.now() + CLAIMED_FOR)
                ).rowcount
            )

    def note_attempt(
        self, message_id: str, answer: str, status: str, next_attempt_at: datetime | None = None
    ) -> None:
        """Records an attempt. `status`: sent, failed (given up) or waiting, for the next attempt."""
        noted = attempted(alert_messages, message_id, answer, status, self._database.now(), next_attempt_at)
        with self._database.writing() as connection:
            connection.execute(noted.where(alert_messages.c.status == "waiting"))

    def of_project(
        self,
        organization_id: int,
        project_id: int,
        *,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
        reader: Reader | None = None,
    ) -> list[Message]:
        """The delivery log of a project, newest first, older than that moment and id; tests of channels
        belong to every project. Recipients and their servers' responses, which may repeat a webhook's
        secret path, are for owners."""
        query = (
            MESSAGES.where(
                alert_messages.c.organization_id == organization_id,
                alert_messages.c.project_id.in_([project_id, 0]),
            )
            .order_by(alert_messages.c.created_at.desc(), alert_messages.c.id.desc())
            .limit(limit)
        )
        if before is not None:
            moment, message_id = before
            query = query.where(
                or_(
                    alert_messages.c.created_at < moment,
                    and_(alert_messages.c.created_at == moment, alert_messages.c.id < message_id),
                )
            )
        with self._database.reading() as connection:
            found = [_message(row) for row in connection.execute(query)]
        if reader is None or reader.role is Role.OWNER:
            return found
        return [replace(each, recipient="", answer="") for each in found]

    def get(self, organization_id: int, message_id: str) -> Message:
        query = MESSAGES.where(
            alert_messages.c.organization_id == organization_id, alert_messages.c.id == message_id
        )
        with self._database.reading() as connection:
            return _message(connection.execute(query).one())

    def _inserted(self, message_id: str, new: NewMessage, next_attempt_at: datetime | None = None) -> Any:
        now = self._database.now()
        return insert(alert_messages).values(
            id=message_id,
            organization_id=new.organization_id,
            project_id=new.project_id,
            channel_id=new.channel_id,
            kind=new.kind,
            subject=new.subject[:300],
            content=json.dumps(dict(new.content)),
            recipient=new.recipient[:300],
            created_at=now,
            status="waiting",
            next_attempt_at=next_attempt_at or now,
            attempt_count=0,
            answer="",
        )


def _message(row: Any) -> Message:
    return Message(**{**row._mapping, "content": json.loads(row.content)})
