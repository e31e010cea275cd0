"""The outbox of a channel: messages, repeated until accepted, and the log of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import and_, func, insert, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey, Index
from sqlalchemy.types import BigInteger, String

from errata.state.activity_actions import Action
from errata.state.alerts.channel import Channel
from errata.state.alerts.notice import NoticeRow
from errata.state.attempts import OutboxRow, attempted
from errata.state.repository import Repository
from errata.state.table import Json, objects
from errata.state.users import Reader, Role

# After a node was killed while sending, the message stays claimed for this long.
CLAIMED_FOR = timedelta(minutes=2)
LONGEST_TEXT = 300


@dataclass(frozen=True)
class NewMessage:
    organization_id: int
    project_id: int
    channel_id: str
    kind: str
    subject: str
    content: Mapping[str, Any]
    recipient: str


class Message(OutboxRow):
    """A message in the outbox, and after sending in the delivery log."""

    __tablename__ = "alert_messages"
    __table_args__ = (
        Index("ix_alert_messages_status_next_attempt_at", "status", "next_attempt_at"),
        Index("ix_alert_messages_channel_id_created_at", "channel_id", "created_at"),
        Index("ix_alert_messages_project_id_created_at", "project_id", "created_at"),
    )

    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[int] = mapped_column(BigInteger)
    channel_id: Mapped[str] = mapped_column(ForeignKey("alert_channels.id"))
    kind: Mapped[str] = mapped_column(String(16))
    subject: Mapped[str] = mapped_column(String(LONGEST_TEXT))
    content: Mapped[Mapping[str, Any]] = mapped_column(Json)
    recipient: Mapped[str] = mapped_column(String(LONGEST_TEXT))
    channel_name: str = ""
    channel_kind: str = ""


class AlreadyTold(Exception):
    """Another node has put one of the notices into a message: this message is rolled back."""


MESSAGES = select(Message, Channel.name.label("channel_name"), Channel.kind.label("channel_kind")).join(
    Channel, Channel.id == Message.channel_id
)


class AlertMessages(Repository):
    def count(self, channel_id: str, since: datetime) -> int:
        """The number of messages of rules written for the channel; tests are not counted."""
        query = select(func.count()).where(
            Message.channel_id == channel_id,
            Message.created_at > since,
            Message.kind != "test",
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
                    update(NoticeRow)
                    .where(
                        NoticeRow.channel_id == new.channel_id,
                        NoticeRow.message_id == "",
                        NoticeRow.firing_id.in_(firing_ids[start : start + 500]),
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
            [written] = objects(Message, connection.execute(MESSAGES.where(Message.id == message_id)))
        return written

    def due(self, limit: int = 200) -> list[Message]:
        query = (
            MESSAGES.where(
                Message.status == "waiting",
                Message.next_attempt_at <= self._database.now(),
                Channel.deleted_at.is_(None),
            )
            .order_by(Message.next_attempt_at, Message.id)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return objects(Message, connection.execute(query))

    def claim(self, message: Message) -> bool:
        """Claims a message; of two nodes only one succeeds."""
        with self._database.writing() as connection:
            return bool(
                connection.execute(
                    update(Message)
                    .where(
                        Message.id == message.id,
                        Message.status == "waiting",
                        Message.attempt_count == message.attempt_count,
                        Message.next_attempt_at == message.next_attempt_at,
                    )
                    .values(next_attempt_at=self._database.now() + CLAIMED_FOR)
                ).rowcount
            )

    def note_attempt(
        self, message_id: str, answer: str, status: str, next_attempt_at: datetime | None = None
    ) -> None:
        """Records an attempt. `status`: sent, failed (given up) or waiting, for the next attempt."""
        noted = attempted(Message, message_id, answer, status, self._database.now(), next_attempt_at)
        with self._database.writing() as connection:
            connection.execute(noted.where(Message.status == "waiting"))

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
                Message.organization_id == organization_id,
                Message.project_id.in_([project_id, 0]),
            )
            .order_by(Message.created_at.desc(), Message.id.desc())
            .limit(limit)
        )
        if before is not None:
            moment, message_id = before
            query = query.where(
                or_(
                    Message.created_at < moment,
                    and_(Message.created_at == moment, Message.id < message_id),
                )
            )
        with self._database.reading() as connection:
            found = objects(Message, connection.execute(query))
        if reader is None or reader.role is Role.OWNER:
            return found
        return [replace(each, recipient="", answer="") for each in found]

    def get(self, organization_id: int, message_id: str) -> Message:
        query = MESSAGES.where(Message.organization_id == organization_id, Message.id == message_id)
        with self._database.reading() as connection:
            return Message(**connection.execute(query).one()._mapping)

    def _inserted(self, message_id: str, new: NewMessage, next_attempt_at: datetime | None = None) -> Any:
        now = self._database.now()
        told = {"subject": new.subject[:LONGEST_TEXT], "recipient": new.recipient[:LONGEST_TEXT]}
        moments = {"created_at": now, "next_attempt_at": next_attempt_at or now}
        return insert(Message).values(id=message_id, **{**vars(new), **told, **moments})
