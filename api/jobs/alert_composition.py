"""Composes alert messages of notices: single ones for a few, one with the worst for many."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import groupby

from api.context import Context
from api.jobs.alert_evidence import with_evidence
from api.jobs.failures import Failed, noted_in
from errata.alerts.channel import recipient
from errata.alerts.content import alert_content
from errata.state.alerts.channel import Channel
from errata.state.alerts.messages import NewMessage
from errata.state.alerts.notices import Notice
from errata.state.errors import AlertChannelNotFound

MOST_SINGLE = 3
LIMITED_WITHIN = timedelta(hours=1)


def compose(context: Context, failed: Failed) -> int:
    """Writes the messages due for every channel; those over its limit wait until the hour ends.

    Returns their count. A channel whose messages cannot be written is added to `failed`.
    """
    written = 0
    for organization_id, channel_id in context.state.alerts.notices.channels():
        with noted_in(failed, f"channel {channel_id}"):
            try:
                channel = context.state.alerts.channels.get(organization_id, channel_id)
            except AlertChannelNotFound:
                continue
            written += _compose_for(context, channel)
    return written


def _compose_for(context: Context, channel: Channel) -> int:
    since = context.state.now() - LIMITED_WITHIN
    left = channel.hourly_limit - context.state.alerts.messages.count(channel.id, since)
    written = 0
    for project_id, of_project in _by_project(context.state.alerts.notices.of_channel(channel.id)):
        for notices in _parts(of_project, left - written):
            said = alert_content(notices, context.base_url, channel.hourly_limit, context.state.now())
            content = with_evidence(context, project_id, said)
            message = NewMessage(
                channel.organization_id,
                project_id,
                channel.id,
                "fired" if len(notices) == 1 else "digest",
                content["text"],
                content,
                recipient(channel.kind, channel.settings, channel.secret_ending),
            )
            written += context.state.alerts.messages.write(message, [notice.firing_id for notice in notices])
    return written


def _parts(notices: Sequence[Notice], left: int) -> list[Sequence[Notice]]:
    if left <= 0:
        return []
    if len(notices) > MOST_SINGLE or len(notices) > left:
        return [notices]
    return [[notice] for notice in notices]


def _by_project(notices: Sequence[Notice]) -> list[tuple[int, list[Notice]]]:
    ordered = sorted(notices, key=lambda notice: notice.project_id)
    return [
        (project_id, list(group)) for project_id, group in groupby(ordered, lambda notice: notice.project_id)
    ]
