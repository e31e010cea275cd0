"""Channels of every kind: every module of `errata/alerts/channels` is one."""

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from errata.alerts import channels
from errata.alerts.channel_kind import ChannelKind, Surroundings
from errata.alerts.errors import NotDelivered
from errata.alerts.mail import MailServer
from errata.errors import ErrataError, InvalidParameter
from errata.one_line import checked_name
from errata.outgoing import Outgoing
from errata.package_modules import modules_of
from errata.state.alerts.channel import Channel
from errata.state.alerts.channels import NewChannel
from errata.state.alerts.messages import Message

MOST_AN_HOUR = 1_000
LONGEST_NAME = 100


KINDS: Mapping[str, ChannelKind] = {
    each.kind: each for each in (module.KIND for module in modules_of(channels))
}


def kind_of(name: str) -> ChannelKind:
    """Raises InvalidParameter."""
    if name not in KINDS:
        raise InvalidParameter("kind", f"one of {', '.join(KINDS)}")
    return KINDS[name]


def checked(
    new: NewChannel, outgoing: Outgoing, mail: MailServer | None, before: Channel | None = None
) -> NewChannel:
    """The channel as it is to be kept; raises InvalidParameter or AddressRefused."""
    name = checked_name(new.name, LONGEST_NAME)
    if not 0 < new.hourly_limit <= MOST_AN_HOUR:
        raise InvalidParameter("hourly_limit", f"1 to {MOST_AN_HOUR}")
    settings, secret = kind_of(new.kind).checked(
        new.settings, new.secret.strip(), before, Surroundings(outgoing, mail)
    )
    return NewChannel(new.kind, name, settings, secret, new.hourly_limit)


def recipient(kind: str, settings: Mapping[str, Any], secret_ending: str) -> str:
    """As the delivery log shows it: an address that is a secret only by its end. Empty of a name alone."""
    return KINDS[kind].recipient(settings, secret_ending)


def send(
    channel: Channel, secret: SecretStr, message: Message, outgoing: Outgoing, mail: MailServer | None
) -> str:
    """What the other side said. Raises NotDelivered."""
    try:
        return KINDS[channel.kind].send(channel, secret, message, Surroundings(outgoing, mail))
    except NotDelivered:
        raise
    except ErrataError as error:
        raise NotDelivered(str(error)) from error
