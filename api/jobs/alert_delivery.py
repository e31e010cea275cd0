"""The job that sends alert messages until each is accepted, refused for good, or a day old."""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from api.context import Context
from api.jobs.alert_composition import compose
from api.jobs.failures import Failed, noted_in, raise_if_any
from api.jobs.job import Job, Run
from errata.alerts.channel import send
from errata.alerts.errors import NotDelivered, Undeliverable
from errata.errors import ErrataError
from errata.state.alerts.channel import Channel
from errata.state.alerts.messages import Message
from errata.state.errors import AlertChannelNotFound

log = logging.getLogger("api.jobs")

NAME = "alert_messages"
EVERY_SECONDS = 5.0
WAITS = [timedelta(seconds=seconds) for seconds in (10, 30, 120, 600, 1800, 3600)]
GIVEN_UP_AFTER = timedelta(days=1)
LONGEST_RETRY_AFTER = timedelta(hours=6)
CHANNELS_AT_ONCE = 4


def alert_delivery_job(context: Context) -> Job:
    return Job(NAME, lambda run: deliver(context, run), EVERY_SECONDS)


def deliver(context: Context, run: Run) -> None:
    """Sends to channels in parallel, so that a hanging one holds up no other; each one's messages in their
    order."""
    failed: Failed = []
    compose(context, failed)
    by_channel: dict[str, list[Message]] = {}
    for message in context.state.alerts.messages.due():
        by_channel.setdefault(message.channel_id, []).append(message)
    with ThreadPoolExecutor(CHANNELS_AT_ONCE, thread_name_prefix="alerts") as channels:
        sending = [
            (f"channel {channel_id}", channels.submit(_deliver_to, context, run, due))
            for channel_id, due in by_channel.items()
        ]
        for name, done in sending:
            with noted_in(failed, name):
                done.result()
    raise_if_any(failed)


def _deliver_to(context: Context, run: Run, messages: Sequence[Message]) -> None:
    for message in messages:
        if not run.goes_on() or not context.state.alerts.messages.claim(message):
            return
        if not attempt(context, message):
            # A channel that refuses one message will refuse the next: each waits for its own time.
            return


def attempt(context: Context, message: Message) -> bool:
    """Sends a claimed message and records the outcome; False if the channel did not accept it."""
    now = context.state.now()
    try:
        channel = context.state.alerts.channels.get(message.organization_id, message.channel_id)
        said = _sent(context, channel, message)
    except AlertChannelNotFound:
        context.state.alerts.messages.note_attempt(message.id, "channel deleted", "cancelled")
        return False
    except NotDelivered as error:
        _note_failure(context, message, error, now)
        return False
    except Exception as error:
        _note_failure(context, message, NotDelivered(f"sending failed: {type(error).__name__}"), now)
        raise
    context.state.alerts.messages.note_attempt(message.id, said, "sent")
    return True


def _sent(context: Context, channel: Channel, message: Message) -> str:
    try:
        secret = context.state.alerts.channels.secret(channel)
    except ErrataError as error:
        raise NotDelivered(str(error)) from error
    return send(channel, secret, message, context.outgoing, context.mail)


def _note_failure(context: Context, message: Message, error: NotDelivered, now: datetime) -> None:
    next_at = now + next_wait(message.attempt_count, error.retry_after_seconds)
    is_last = (
        message.kind == "test"
        or isinstance(error, Undeliverable)
        or next_at > message.created_at + GIVEN_UP_AFTER
    )
    context.state.alerts.messages.note_attempt(
        message.id, error.reason, "failed" if is_last else "waiting", next_at
    )
    log.warning("A message to channel %s was not delivered: %s", message.channel_name, error.reason[:200])


def next_wait(attempt_count: int, retry_after_seconds: float) -> timedelta:
    """The wait after a number of earlier attempts, at least as long as the receiver asked for."""
    wanted = timedelta(seconds=min(retry_after_seconds, LONGEST_RETRY_AFTER.total_seconds()))
    return max(WAITS[min(attempt_count, len(WAITS) - 1)], wanted)
