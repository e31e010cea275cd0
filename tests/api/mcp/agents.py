"""An agent at a service's door, as clients of the protocol are."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.types import ASGIApp, Receive, Scope, Send

import dashboards.app
from errata.state.capability import Capability
from tests.processes import WarehouseProcess, free_port
from tests.uploading import Uploading, uploading

ALL = tuple(Capability)


@dataclass(frozen=True)
class Site:
    """`pages`: the address of the service."""

    api: Uploading
    pages: str

    def token(self, *capabilities: Capability, slug: str = "") -> str:
        create = self.api.store.project_tokens.create
        named = slug or self.api.project.slug
        return create(self.api.organization_id, named, capabilities or ALL, "Agent", 1, actor="owner").text

    def call(self, tool: str, token: str, **given: Any) -> "Told":
        return asyncio.run(self._call(tool, token, given))

    async def _call(self, tool: str, token: str, given: Mapping[str, Any]) -> "Told":
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(f"{self.pages}/mcp", http_client=http)) as client,
        ):
            result = await client.call_tool(tool, dict(given))
        text = result.content[0].text  # type: ignore[union-attr]
        size = len(result.model_dump_json(by_alias=True, exclude_none=True).encode())
        return Told(bool(result.is_error), text, result.structured_content or {}, size)


@dataclass(frozen=True)
class Told:
    """`size`: of the whole result, in bytes."""

    is_error: bool
    text: str
    value: dict[str, Any]
    size: int

    def __post_init__(self) -> None:
        assert self.is_error or json.loads(self.text) == self.value


class WithToken:
    """An ASGI application that clients reach who can't send a token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.token = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.token and scope["type"] == "http":
            own = (b"authorization", f"Bearer {self.token}".encode())
            scope = {**scope, "headers": [*scope["headers"], own]}
        await self._app(scope, receive, send)


@contextmanager
def site_of(warehouse: WarehouseProcess, directory: Path, *, gives_token: bool = False) -> Iterator[Site]:
    """`gives_token`: to every request, one of all capabilities."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    with uploading(warehouse, directory, address) as api:
        app = WithToken(dashboards.app.create_app(api.client.app))  # type: ignore[arg-type]
        app.token = Site(api, address).token() if gives_token else ""
        server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run)
        thread.start()
        deadline = time.monotonic() + 10
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.02)
        yield Site(api, address)
        server.should_exit = True
        thread.join(10)


def trusted(value: Any) -> Any:
    """What an agent may take for the service's own words."""
    if isinstance(value, dict):
        apart = {"untrusted", "from_account"}
        return {name: trusted(part) for name, part in value.items() if name not in apart}
    return [trusted(part) for part in value] if isinstance(value, list) else value
