"""How long requests take, by the template of their route."""

from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics.instruments import REQUEST_SECONDS

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


class RequestSeconds:
    """Middleware around all others. Of an application that is mounted in another, the outer one times."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or TIMED in scope:
            await self._app(scope, receive, send)
            return
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
            of_kind.observe(perf_counter() - began)


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
