"""Channels as the form of a rule offers them, and the one that mails its reader."""

from api.channels import create_channel
from api.context import Context
from errata.alerts.channel import recipient
from errata.state.alerts.channel import Channel
from errata.state.alerts.channels import NewChannel
from errata.state.users import normalized_email


def destination(channel: Channel) -> str:
    return recipient(channel.kind, channel.settings, channel.secret_ending)


def channel_to(channels: list[Channel], email: str) -> Channel | None:
    """The channel that mails this address alone."""
    for channel in channels:
        if channel.kind == "email" and [*map(normalized_email, channel.settings.get("to", []))] == [email]:
            return channel
    return None


def mailing_channel(context: Context, organization_id: int, email: str, *, actor: str) -> Channel:
    """The channel that mails this address over the mail server of the service, made where there is none."""
    found = channel_to(context.state.alerts.channels.of_organization(organization_id), email)
    if found is not None:
        return found
    new = NewChannel("email", f"Mail to {email}"[:100], {"to": [email]})
    return create_channel(context, organization_id, new, actor=actor).channel
