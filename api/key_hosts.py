"""The hosts of an organization, and which of its API keys each delivers with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from api.context import Context
from errata.warehouse.queries.delivery.api_keys import keys_of_hosts

KeyState = Literal["current", "next", "replaced"]


@dataclass(frozen=True, slots=True)
class HostOfKey:
    """`key`: the state of the key that the host last delivered with."""

    host: str
    key_prefix: str
    key: KeyState
    last_received_at: datetime


def key_states(context: Context, organization_id: int) -> Mapping[str, KeyState]:
    """Of the keys in use, by prefix: all others are replaced."""
    keys = context.state.keys.api
    current, following = keys.get(organization_id), keys.next(organization_id)
    states: dict[str, KeyState] = {current.prefix: "current"}
    if following is not None:
        states[following.prefix] = "next"
    return states


def hosts_of_keys(context: Context, organization_id: int) -> list[HostOfKey]:
    """Raises WarehouseUnavailable."""
    states = key_states(context, organization_id)
    projects = [project.id for project in context.state.projects.of_organization(organization_id)]
    return [
        HostOfKey(each.host, each.key_prefix, states.get(each.key_prefix, "replaced"), each.last_received_at)
        for each in keys_of_hosts(context.read, projects, context.state.now())
    ]
