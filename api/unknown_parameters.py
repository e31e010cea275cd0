"""Refuses query parameters that an endpoint does not declare: a misspelled filter would return everything."""

import difflib

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute

from api.documentation import is_direct
from errata.errors import InvalidParameter

LONGEST_SHOWN = 60
# RFC 6749, 4.1.2: what a provider sends beyond what is known is ignored.
OF_OTHERS = frozenset({"/api/auth/oidc/callback"})


async def refuse_unknown_parameters(request: Request) -> None:
    """Raises InvalidParameter about the first one that the route does not know."""
    if not request.scope["query_string"] or request.scope["path"] in OF_OTHERS:
        return
    if is_direct(request.scope["path"]):
        # SDKs of all ages add what they like.
        return
    known = known_parameters(request.scope["route"])
    for name in request.query_params:
        if name not in known:
            raise InvalidParameter(_shown(name), f"unknown parameter; {_instead(name, known)}")


def known_parameters(route: APIRoute) -> tuple[str, ...]:
    """Query parameters in the order they are declared, those of dependencies included."""
    return tuple(
        field.alias for field in get_flat_params(route.dependant) if isinstance(field.field_info, Query)
    )


def _shown(name: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in name[:LONGEST_SHOWN])


def _instead(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name[:LONGEST_SHOWN].lower(), known, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"supported parameters: {', '.join(known)}" if known else "this endpoint has no parameters"
