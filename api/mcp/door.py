"""The address of agents, whose server is made when the first of them comes: it takes a second, and 20 MB."""

import asyncio

from anyio import to_thread
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

METADATA = "/.well-known/oauth-protected-resource/mcp"


class AgentDoor:
    """An ASGI application. `api`: the REST API that tools ask."""

    def __init__(self, api: FastAPI) -> None:
        self._api = api
        self._lock = asyncio.Lock()
        self._server: Starlette | None = None
        self._ended = asyncio.Event()
        self._holding: asyncio.Task[None] | None = None

    def routes(self) -> list[Route]:
        return [Route("/mcp", self, methods=["GET", "POST", "DELETE"]), Route(METADATA, self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._lock:
            server = self._server or await self._start()
        await server({**scope, "app": server}, receive, send)

    async def close(self) -> None:
        self._ended.set()
        if self._holding is not None:
            await self._holding

    async def _start(self) -> Starlette:
        server = await to_thread.run_sync(self._made)
        ready = asyncio.Event()
        self._holding = asyncio.create_task(self._hold(server, ready))
        await ready.wait()
        self._server = server
        return server

    def _made(self) -> Starlette:
        from api.mcp.server import built

        return built(self._api)

    async def _hold(self, server: Starlette, ready: asyncio.Event) -> None:
        """Its lifespan ends in the task in which it began."""
        async with server.router.lifespan_context(server):
            ready.set()
            await self._ended.wait()
