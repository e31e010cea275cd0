"""Channels of an organization: the destinations of alerts."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency, ManagerDependency
from api.channels import create_channel, try_channel
from api.context import ContextDependency
from api.parameters import (
    Moment,
    WholeNumber,
)
from api.problems import responses
from api.rest.alert_messages import MessageShown
from api.shown import Shown
from errata.alerts import channel as channels
from errata.alerts.channel_kind import ChannelKind
from errata.one_line import NAME
from errata.state.alerts.channels import HOURLY_LIMIT, NewChannel

router = APIRouter(tags=["alerts"])

Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
CHANGE = ("invalid_parameter", "invalid_api_key", "state_unavailable", "csrf_failed", "forbidden")


def _by_kind(words: Callable[[ChannelKind], str]) -> str:
    return " ".join(f"{kind.label}: {words(kind)}." for kind in channels.KINDS.values())


class ChannelGiven(BaseModel):
    kind: str = Field(json_schema_extra={"enum": list(channels.KINDS)})
    name: str = Field(min_length=1, max_length=100, pattern=NAME)
    settings: dict[str, Any] = Field(
        default_factory=dict,
        description=_by_kind(lambda kind: kind.settings),
    )
    secret: str = Field(
        "",
        max_length=4000,
        description=_by_kind(lambda kind: kind.secret) + " On update, empty keeps the current one.",
    )
    hourly_limit: WholeNumber = Field(
        HOURLY_LIMIT,
        description="Messages per hour; further ones are combined into one.",
        json_schema_extra={"minimum": 1, "maximum": channels.MOST_AN_HOUR},
    )

    def channel(self) -> NewChannel:
        return NewChannel(self.kind, self.name, self.settings, self.secret, self.hourly_limit)


class ChannelShown(Shown):
    id: str
    kind: str
    name: str
    settings: dict[str, Any]
    secret_ending: str = Field(description="Last characters of the secret, if it is long enough; for owners.")
    hourly_limit: int
    created_at: Moment


class CreatedChannelShown(ChannelShown):
    signing_secret: str = Field(description="Generated webhook key, shown once; otherwise empty.")


class ChannelList(BaseModel):
    channels: list[ChannelShown]


@router.get(
    "/api/alert-channels",
    operation_id="alert_channels",
    summary="List the organization's channels",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "state_unavailable"),
)
def alert_channels(asking: CallerDependency, context: ContextDependency) -> ChannelList:
    """Owners and the API key get everything. Others get only `to`, `host` and the host of a `url`, or no
    `settings` if they can't see all projects."""
    listed = context.state.alerts.channels.of_organization(asking.organization_id, asking)
    return ChannelList(channels=[ChannelShown.of(channel) for channel in listed])


@router.post(
    "/api/alert-channels",
    operation_id="create_alert_channel",
    summary="Create a channel",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE, "address_refused"),
)
def create_alert_channel(
    given: ChannelGiven, asking: ManagerDependency, context: ContextDependency
) -> CreatedChannelShown:
    created = create_channel(context, asking.organization_id, given.channel(), actor=asking.actor)
    return CreatedChannelShown.of(created.channel, signing_secret=created.signing_secret)


@router.put(
    "/api/alert-channels/{channel_id}",
    operation_id="change_alert_channel",
    summary="Update a channel",
    dependencies=DECLARED,
    responses=responses(*CHANGE, "address_refused", "alert_channel_not_found"),
)
def change_alert_channel(
    channel_id: Id, given: ChannelGiven, asking: ManagerDependency, context: ContextDependency
) -> ChannelShown:
    """Changes everything except its kind."""
    before = context.state.alerts.channels.get(asking.organization_id, channel_id)
    wanted = channels.checked(
        NewChannel(before.kind, given.name, given.settings, given.secret, given.hourly_limit),
        context.outgoing,
        context.mail,
        before,
    )
    changed = context.state.alerts.channels.change(
        asking.organization_id, channel_id, wanted, actor=asking.actor
    )
    return ChannelShown.of(changed)


@router.delete(
    "/api/alert-channels/{channel_id}",
    operation_id="delete_alert_channel",
    summary="Delete a channel",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE, "alert_channel_not_found"),
)
def delete_alert_channel(channel_id: Id, asking: ManagerDependency, context: ContextDependency) -> None:
    """Also cancels its unsent messages."""
    context.state.alerts.channels.delete(asking.organization_id, channel_id, actor=asking.actor)


@router.post(
    "/api/alert-channels/{channel_id}/test",
    operation_id="test_alert_channel",
    summary="Send a test message",
    dependencies=DECLARED,
    responses=responses(*CHANGE, "alert_channel_not_found"),
)
def test_alert_channel(channel_id: Id, asking: ManagerDependency, context: ContextDependency) -> MessageShown:
    """Responds after sending; `status` and `answer` contain the outcome."""
    message = try_channel(context, asking.organization_id, channel_id, actor=asking.actor)
    return MessageShown.of(message)
