"""What to change in a request whose question took too much, by the parameters of its endpoint."""

from collections.abc import Iterator

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import Request

# A part of what was asked for that can always be less.
LESS = {
    "period": "choose a shorter period",
    "days": "use fewer days",
    "hours": "use fewer hours",
    "query": "add terms to the query",
    "limit": "set a smaller limit",
}
# Values that restrict the question, unless the request has one already.
NARROWING = ("environment", "release", "device", "browser", "country", "page", "host", "user")


def remedy_at(request: Request) -> str:
    """Empty if the endpoint has no parameter that would help."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return ""
    names = set(_parameters(route.dependant))
    free = [name for name in NARROWING if name in names and not request.query_params.get(name)]
    remedies = [words for name, words in LESS.items() if name in names]
    if free:
        remedies.append(f"set {_either(free)}")
    return _either(remedies)


def _parameters(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        yield field.alias
    for inner in dependant.dependencies:
        yield from _parameters(inner)


def _either(words: list[str]) -> str:
    *others, last = words or [""]
    return f"{', '.join(others)} or {last}" if others else last
