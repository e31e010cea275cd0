"""Admission of requests: the time limit of a response, and the number of requests worked on at once.

A thread cannot be stopped: after the time limit the caller gets a response, and the work keeps its slot until
it ends.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from anyio import to_thread
from errata_wire.address import network
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.authentication import SAFE_METHODS, SESSION_COOKIE
from api.client_address import address_of
from api.errors import TooManyAtOnce
from api.metrics.instruments import REQUESTS_WAITING
from api.slots import AT_ONCE, Slots
from errata.errors import ErrataError
from errata.warehouse.client import NoAnswerInTime
from errata.warehouse.published import Snapshot, one_snapshot

log = logging.getLogger("api.admission")

# Beside admitted requests: for requests without a slot, such as sign-in pages and health checks.
THREADS = AT_ONCE + 20

Refuse = Callable[[Request, ErrataError], Awaitable[Response]]


class Admission:
    """Middleware around work in threads. `is_exempt`: by path; `refuse` responds in the application's
    shape; `snapshot` returns the versions that a request reads."""

    def __init__(
        self,
        app: ASGIApp,
        slots: Slots,
        seconds: float,
        is_exempt: Callable[[str], bool],
        refuse: Refuse,
        snapshot: Callable[[], Snapshot],
    ) -> None:
        self._app = app
        self._slots = slots
        self._seconds = seconds
        self._is_exempt = is_exempt
        self._refuse = refuse
        self._snapshot = snapshot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_exempt(scope["path"]):
            await self._app(scope, receive, send)
            return
        # A slow body takes no slot.
        if (receive_again := await _read(receive)) is None:
            return
        receive = receive_again
        caller, began = caller_of(scope), asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self._seconds):
                with REQUESTS_WAITING.track_inprogress():
                    await self._slots.take(caller)
        except TimeoutError:
            await (await self._refuse(Request(scope), TooManyAtOnce()))(scope, receive, send)
            return
        asked = scope.setdefault("state", {}).setdefault("asked", [])
        work = Work(lambda: self._slots.release(caller), send, self._snapshot(), asked)
        task = asyncio.create_task(work.run(self._app, scope, receive))
        # A change is waited for: an earlier response could not tell its outcome.
        waited = asyncio.get_running_loop().time() - began
        left = self._seconds - waited if scope["method"] in SAFE_METHODS else None
        await asyncio.wait({task, work.answering}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if task.done() or work.answering.done():
            await task
            return
        work.is_abandoned = True
        task.add_done_callback(_ended)
        log.warning("A request exceeded %s s and was aborted", self._seconds)
        await (await self._refuse(Request(scope), NoAnswerInTime()))(scope, receive, send)


class Work:
    """One request in its own task; its slot is free as soon as its response begins and `asked`, what a page
    sent in pieces still asks then, is answered."""

    def __init__(
        self,
        release: Callable[[], None],
        send: Send,
        snapshot: Snapshot,
        asked: Sequence[Future[Any]] = (),
    ) -> None:
        self.answering: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_abandoned = False
        self._asked = asked
        self._release = release
        self._send = send
        self._snapshot = snapshot

    async def run(self, app: ASGIApp, scope: Scope, receive: Receive) -> None:
        try:
            with one_snapshot(self._snapshot):
                await app(scope, receive, self._send_on)
        finally:
            self._begin()

    async def _send_on(self, message: Message) -> None:
        if self.is_abandoned:
            return
        # A slow reader takes no slot either.
        self._begin()
        await self._send(message)

    def _begin(self) -> None:
        if self.answering.done():
            return
        self.answering.set_result(None)
        if waiting := [asyncio.wrap_future(one) for one in self._asked]:
            answered = asyncio.gather(*waiting, return_exceptions=True)
            answered.add_done_callback(lambda _: self._release())
        else:
            self._release()


def caller_of(scope: Scope) -> bytes:
    """The caller by API key, else by session, else by address; unverified, since a look-up is work itself."""
    headers = Request(scope).headers
    if key := headers.get("authorization"):
        return b"key" + key.encode("latin-1")
    if session := Request(scope).cookies.get(SESSION_COOKIE):
        return b"session" + session.encode("utf-8", "surrogatepass")
    return b"address" + network(address_of(scope)).encode()


def prepare_threads() -> None:
    """Prepares a thread for each slot, and some beside them. Called within a running event loop."""
    to_thread.current_default_thread_limiter().total_tokens = THREADS


async def _read(receive: Receive) -> Receive | None:
    """The request, read to its end; an exception on the way is raised again to its reader. None if the client
    has left."""
    messages: list[Message] = []
    refused: HTTPException | None = None
    try:
        while not messages or messages[-1].get("more_body"):
            messages.append(await receive())
            if messages[-1]["type"] == "http.disconnect":
                return None
    except HTTPException as error:
        refused = error

    async def read_again() -> Message:
        if messages:
            return messages.pop(0)
        if refused is not None:
            raise refused
        return await receive()

    return read_again


def _ended(task: asyncio.Task[None]) -> None:
    with suppress(asyncio.CancelledError):
        if (error := task.exception()) is not None:
            log.error("A request failed after its response was sent", exc_info=error)
