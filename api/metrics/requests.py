"""How long requests take, by the template of their route."""

import logging
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics.instruments import REQUEST_SECONDS
from errata.process_log.configured import REQUESTS
from errata.process_log.json_lines import FACTS
from errata.process_log.request_name import answering

TIMED = "errata.timed"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# What matches no route: anyone may ask for any number of addresses.
UNMATCHED = "unmatched"


class Timed:
    """A request in progress: what is known of it at its end."""

    route = UNMATCHED
    status = 500


def note_route(scope: Scope, template: str) -> None:
    if timed := scope.get(TIMED):
        timed.route = template


def log_answered(method: str, route: str, status: int, seconds: float) -> None:
    """Logs the template of the route: paths and queries hold keys and the tokens of links."""
    if not REQUESTS.isEnabledFor(logging.INFO):
        return
    facts = {"method": method, "route": route, "status": status, "duration_ms": round(1000 * seconds, 1)}
    said = "%s %s responded %d in %.1f ms"
    REQUESTS.info(said, *facts.values(), extra={FACTS: facts})


class RequestSeconds:
    """Middleware around all others. Of an application that is mounted in another, the outer one times."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or TIMED in scope:
            await self._app(scope, receive, send)
            return
        with answering():
            await self._timed(scope, receive, send)

    async def _timed(self, scope: Scope, receive: Receive, send: Send) -> None:
        timed, began = Timed(), perf_counter()

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                timed.status = message["status"]
            await send(message)

        try:
            await self._app({**scope, TIMED: timed}, receive, noting)
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            of_kind = REQUEST_SECONDS.labels(method, timed.route, f"{timed.status // 100}xx")
            seconds = perf_counter() - began
            of_kind.observe(seconds)
            log_answered(method, timed.route, timed.status, seconds)


class NotesRoute:
    """Middleware within all others: the router writes into the scope that it gets."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        finally:
            if path := getattr(scope.get("route"), "path", ""):
                note_route(scope, path)
