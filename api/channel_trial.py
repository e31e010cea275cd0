"""The Test button of a channel."""

from api.context import Context
from api.jobs.alert_delivery import attempt
from errata.alerts.channel import recipient
from errata.alerts.content import trial_content
from errata.state.alerts.messages import Message, NewMessage


def try_channel(context: Context, organization_id: int, channel_id: str, *, actor: str) -> Message:
    """Sends at once, and answers with the entry of the delivery log: sent or failed."""
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
