"""What a kind of channel says about itself; a kind is one file of `errata/alerts/channels`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import SecretStr

from errata.alerts.field import Field, require_known
from errata.alerts.mail import MailServer
from errata.outgoing import Outgoing
from errata.state.alerts.channel import Channel
from errata.state.alerts.messages import Message

SECRET = "secret"
"""The field whose value is sealed; the others are settings."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the service sends with. `mail`: its own mail server; None: it has none."""

    outgoing: Outgoing
    mail: MailServer | None


class ChannelKind(ABC):
    """`fields` are those of the form, `server_fields` those that the service's mail server makes optional;
    `settings` and `secret` say in the reference what they hold."""

    kind: ClassVar[str]
    label: ClassVar[str]
    example: ClassVar[str]
    fields: ClassVar[Sequence[Field]]
    server_fields: ClassVar[Sequence[Field]] = ()
    settings: ClassVar[str] = "none"
    secret: ClassVar[str]

    @abstractmethod
    def checked(
        self, settings: Mapping[str, Any], secret: str, before: Channel | None, by: Surroundings
    ) -> tuple[dict[str, Any], str]:
        """Settings and secret as they are stored; an empty secret keeps that of `before`. Raises
        InvalidParameter and AddressRefused."""

    @abstractmethod
    def recipient(self, settings: Mapping[str, Any], secret_ending: str) -> str:
        """As the delivery log shows it; empty if there is only a name."""

    @abstractmethod
    def send(self, channel: Channel, secret: SecretStr, message: Message, by: Surroundings) -> str:
        """The response of the other side. Raises NotDelivered."""

    def require_known(self, settings: Mapping[str, Any]) -> None:
        """Raises InvalidParameter for a setting of another kind."""
        fields = (field for field in (*self.fields, *self.server_fields) if field.name != SECRET)
        require_known(settings, fields, "settings", "channels")
