"""Channels of alerts: creation and tests."""

from dataclasses import dataclass

from api.context import Context
from api.jobs.alert_delivery import attempt
from errata.alerts.channel import checked, recipient
from errata.alerts.content import trial_content
from errata.state.alerts.channel import Channel
from errata.state.alerts.channels import NewChannel
from errata.state.alerts.messages import Message, NewMessage


@dataclass(frozen=True)
class CreatedChannel:
    """`signing_secret`: the generated key of a webhook without one, shown once; else empty."""

    channel: Channel
    signing_secret: str


def create_channel(
    context: Context, organization_id: int, given: NewChannel, *, actor: str
) -> CreatedChannel:
    """Creates a channel. Raises InvalidParameter and AddressRefused."""
    new = checked(given, context.outgoing, context.mail)
    channel = context.state.alerts.channels.create(organization_id, new, actor=actor)
    return CreatedChannel(channel, "" if given.secret.strip() else new.secret)


def try_channel(context: Context, organization_id: int, channel_id: str, *, actor: str) -> Message:
    """Sends a test message at once and returns its entry in the delivery log: sent or failed."""
    channel = context.state.alerts.channels.get(organization_id, channel_id)
    content = trial_content(channel.name, context.base_url, actor)
    message = context.state.alerts.messages.write_test(
        NewMessage(
            organization_id,
            0,
            channel.id,
            "test",
            content["text"],
            content,
            recipient(channel.kind, channel.settings, channel.secret_ending),
        ),
        actor=actor,
        channel_name=channel.name,
    )
    attempt(context, message)
    return context.state.alerts.messages.get(organization_id, message.id)
