"""The methods of an address that several paths of the schema match."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute

from api.errors import MethodNotAllowed

Paths = Mapping[str, frozenset[str]]


def paths_of(routers: Iterable[APIRouter]) -> Paths:
    """The methods of each path."""
    found = defaultdict[str, set[str]](set)
    for router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute):
                found[route.path_format] |= route.methods or set()
    return {path: frozenset(methods) for path, methods in found.items()}


async def refuse_other_methods(request: Request) -> None:
    """Raises MethodNotAllowed if the route found belongs to a less specific path.

    `DELETE …/app-keys/regenerate` matches the route of `…/app-keys/{key_id}`, but means no key.
    """
    allowed = allowed_methods(request.app.state.paths, request.scope["path"])
    if allowed and request.method not in allowed:
        raise MethodNotAllowed(allowed)


def allowed_methods(paths: Paths, address: str) -> frozenset[str]:
    """The methods of the most specific path for the address; none where no path matches."""
    parts = address.split("/")
    matching = [path for path in paths if _matches(path.split("/"), parts)]
    if not matching:
        return frozenset()
    return paths[min(matching, key=lambda path: [part.startswith("{") for part in path.split("/")])]


def _matches(path: list[str], address: list[str]) -> bool:
    return len(path) == len(address) and all(
        part == given or (part.startswith("{") and given) for part, given in zip(path, address, strict=True)
    )
