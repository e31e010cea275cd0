"""Channels of alerts: their settings in clear, their one secret sealed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import SecretStr
from sqlalchemy import Connection, delete, func, insert, select, update

from errata.state.activity_actions import Action
from errata.state.alerts.channel import Channel
from errata.state.alerts.messages import Message
from errata.state.alerts.rule import RuleChannel
from errata.state.database import Database
from errata.state.errors import AlertChannelNotFound
from errata.state.repository import Repository
from errata.state.sealed_secrets import SealedSecret, SealedSecrets
from errata.state.table import objects
from errata.state.users import Reader, Role

PURPOSE = "channel"
HOURLY_LIMIT = 10


@dataclass(frozen=True)
class NewChannel:
    """`secret` is a password, a signing key, or an address that is secret itself; empty: none."""

    kind: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    secret: str = ""
    hourly_limit: int = HOURLY_LIMIT


SELECTED = (
    select(Channel, func.coalesce(SealedSecret.ending, "").label("secret_ending"))
    .outerjoin(SealedSecret, SealedSecret.id == Channel.secret_id)
    .where(Channel.deleted_at.is_(None))
)


class AlertChannels(Repository):
    def __init__(self, database: Database, secret: bytes, secrets: SealedSecrets) -> None:
        super().__init__(database, secret)
        self._secrets = secrets

    def of_organization(self, organization_id: int, reader: Reader | None = None) -> list[Channel]:
        """With what this reader may see of each; None: everything."""
        query = SELECTED.where(Channel.organization_id == organization_id)
        with self._database.reading() as connection:
            channels = objects(Channel, connection.execute(query.order_by(Channel.name, Channel.id)))
        return channels if reader is None else [_shown_to(reader, channel) for channel in channels]

    def get(self, organization_id: int, channel_id: str) -> Channel:
        with self._database.reading() as connection:
            return self._channel(connection, organization_id, channel_id)

    def secret(self, channel: Channel) -> SecretStr:
        """The secret; empty without one. Raises SecretUnreadable."""
        if not channel.secret_id:
            return SecretStr("")
        return self._secrets.open(channel.organization_id, channel.secret_id)

    def create(self, organization_id: int, new: NewChannel, *, actor: str) -> Channel:
        with self._database.writing() as connection:
            channel_id = uuid4().hex
            secret_id = self._kept(connection, organization_id, new.secret)
            connection.execute(
                insert(Channel).values(
                    id=channel_id,
                    organization_id=organization_id,
                    kind=new.kind,
                    name=new.name,
                    settings=new.settings,
                    secret_id=secret_id,
                    hourly_limit=new.hourly_limit,
                    created_at=self._database.now(),
                )
            )
            self._record(
                connection, organization_id, Action.ALERT_CHANNEL_CREATED, actor=actor, subject=new.name
            )
            return self._channel(connection, organization_id, channel_id)

    def change(self, organization_id: int, channel_id: str, changed: NewChannel, *, actor: str) -> Channel:
        """Changes everything but its kind; an empty secret leaves the present one."""
        with self._database.writing() as connection:
            before = self._channel(connection, organization_id, channel_id)
            secret_id = before.secret_id
            if changed.secret:
                secret_id = self._kept(connection, organization_id, changed.secret)
                if before.secret_id:
                    self._secrets.drop(connection, organization_id, before.secret_id)
            connection.execute(
                update(Channel)
                .where(Channel.id == channel_id)
                .values(
                    name=changed.name,
                    settings=changed.settings,
                    secret_id=secret_id,
                    hourly_limit=changed.hourly_limit,
                )
            )
            self._record(
                connection, organization_id, Action.ALERT_CHANNEL_CHANGED, actor=actor, subject=changed.name
            )
            return self._channel(connection, organization_id, channel_id)

    def delete(self, organization_id: int, channel_id: str, *, actor: str) -> None:
        """Deletes the channel and cancels its unsent messages; the log of sent ones stays."""
        with self._database.writing() as connection:
            channel = self._channel(connection, organization_id, channel_id)
            now = self._database.now()
            connection.execute(
                update(Channel).where(Channel.id == channel_id).values(deleted_at=now, secret_id="")
            )
            connection.execute(delete(RuleChannel).where(RuleChannel.channel_id == channel_id))
            connection.execute(
                update(Message)
                .where(Message.channel_id == channel_id, Message.status == "waiting")
                .values(status="cancelled", ended_at=now, answer="the channel was deleted")
            )
            if channel.secret_id:
                self._secrets.drop(connection, organization_id, channel.secret_id)
            self._record(
                connection, organization_id, Action.ALERT_CHANNEL_DELETED, actor=actor, subject=channel.name
            )

    def _kept(self, connection: Connection, organization_id: int, secret: str) -> str:
        return self._secrets.keep(connection, organization_id, PURPOSE, secret) if secret else ""

    def _channel(self, connection: Connection, organization_id: int, channel_id: str) -> Channel:
        query = SELECTED.where(Channel.organization_id == organization_id, Channel.id == channel_id)
        row = connection.execute(query).one_or_none()
        if row is None:
            raise AlertChannelNotFound(channel_id)
        return Channel(**row._mapping)


def _shown_to(reader: Reader, channel: Channel) -> Channel:
    """Whoever knows the path of a webhook may post to it, and some mail servers take a token as the user:
    these are for owners. Who doesn't see all projects gets name and kind."""
    if reader.role is Role.OWNER:
        return channel
    settings: dict[str, Any] = {}
    if reader.project_ids is None:
        settings = {name: channel.settings[name] for name in ("to", "host") if name in channel.settings}
        if url := channel.settings.get("url"):
            parts = urlsplit(url)
            settings["url"] = f"{parts.scheme}://{parts.netloc}/…"
    return replace(channel, settings=settings, secret_ending="")
