"""Envelopes are answered before anything else looks at a request: the framework takes most of their cost."""

import re
from uuid import uuid4

from fastapi import FastAPI, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.door.endpoint import answer_to
from api.door.request import Received
from api.metrics.requests import note_route
from errata.process_log.request_name import name_request

PATH = re.compile(r"/api/(?P<project>[0-9]{1,18})/(?P<kind>envelope|store)/?")


class EnvelopesFirst:
    """Middleware that gives envelopes to the function of their route, without the way to it. `api`: the
    application whose door takes them."""

    def __init__(self, app: ASGIApp, api: FastAPI) -> None:
        self._app = app
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match = PATH.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if match is None or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        note_route(scope, f"/api/{{project_id}}/{match['kind']}/")
        state = self._api.state
        named = {"request_id": uuid4().hex}
        name_request(named["request_id"])
        request = Request({**scope, "app": self._api, "state": {**scope.get("state", {}), **named}}, receive)
        received = Received(request, state.door, state.ingest, state.context)
        response = await answer_to(received, int(match["project"]), is_event=match["kind"] == "store")
        response.headers["X-Request-Id"] = named["request_id"]
        await response(scope, receive, send)
