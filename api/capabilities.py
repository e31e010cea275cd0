"""Which access tokens an operation accepts, by the guards that its route declares."""

from collections.abc import Iterable, Iterator
from typing import Any

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from api.authentication import (
    SAFE_METHODS,
    Needs,
    caller,
    manager,
    own_session,
    signed_in,
    unready_session,
    whole_caller,
)
from errata.state.capability import Capability

NOT_FOR_TOKENS = frozenset({unready_session, own_session, signed_in, manager, whole_caller})


def capabilities_by_operation(routes: Iterable[Any]) -> dict[str, tuple[Capability, ...]]:
    """By `operation_id`, of those that accept a token: each capability is enough."""
    every = (route for route in routes if isinstance(route, APIRoute))
    return {str(route.operation_id): found for route in every if (found := _accepted(route))}


def _accepted(route: APIRoute) -> tuple[Capability, ...]:
    guards = list(_guards(route.dependant))
    changes = not (route.methods or set()) <= SAFE_METHODS
    if any(guard in NOT_FOR_TOKENS or (changes and guard is caller) for guard in guards):
        return ()
    return next((guard.capabilities for guard in guards if isinstance(guard, Needs)), ())


def _guards(dependant: Dependant) -> Iterator[Any]:
    for each in dependant.dependencies:
        yield each.call
        yield from _guards(each)
