"""One connection: requests are read whole within limits of time and space, then answered."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Protocol

import h11
from errata_wire.content_encoding import too_large
from errata_wire.refusal import Refused

from errata_shipper.intake.endpoint import Head, Response
from errata_shipper.intake.memory import Memory

# Long, because a request sent on a connection that is just being closed is lost to most SDKs.
IDLE_SECONDS = 300
BODY_SECONDS = 60.0
# Of bodies, where connections are short; a slower one is the first to be closed.
BODY_MIN_BYTES_PER_SECOND = 8 << 10
# A second: more than this sent ahead of the minimum rate counts as no more.
CREDIT_BYTES = BODY_MIN_BYTES_PER_SECOND
WRITE_SECONDS = 10.0
_HEAD_BYTES = 32 << 10
_CHUNK_BYTES = 64 << 10
# What a client goes on sending of a body that is refused is read and thrown away, so that it sees the answer.
_DRAINED_BODIES = 4
# What nearly all are: read without waiting.
_SMALL_BYTES = 128 << 10


class Endpoint(Protocol):
    def early_response(self, head: Head) -> Response | None: ...

    def max_body_bytes(self, head: Head) -> int: ...

    def refuse(self, head: Head, refused: Refused) -> Response: ...


class Connection:
    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        endpoint: Endpoint,
        answer: Callable[[Head, bytes], Awaitable[Response]],
        memory: Memory,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._endpoint = endpoint
        self._answer = answer
        self._memory = memory
        self._credit_bytes, self._credit_at = 0.0, 0.0
        # Of the memory for large bodies.
        self.held_bytes = 0
        self._protocol = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES)
        self._is_closing = False
        # Between two requests, or within the head of one: nothing is lost if it is closed now.
        self.is_waiting = True
        self._is_reading_body = False
        # The request, or its body.
        self.waits_since = time.monotonic()

    @property
    def is_up_to_client(self) -> bool:
        """Whether nothing here goes on before its client does."""
        return self.is_waiting or self._is_reading_body

    @property
    def slowness(self) -> tuple[bool, float]:
        """Greater for those to be closed first: bodies under the minimum rate, those that wait for a request
        longest, then other bodies."""
        if self.is_waiting:
            return False, time.monotonic() - self.waits_since
        self._add_credit(0)
        return self._credit_bytes < 0, -self._credit_bytes

    def _begin_body(self) -> None:
        self.waits_since = self._credit_at = time.monotonic()
        self._credit_bytes, self._is_reading_body = 0.0, True

    def _add_credit(self, byte_count: int) -> None:
        now = time.monotonic()
        spent = (now - self._credit_at) * BODY_MIN_BYTES_PER_SECOND
        self._credit_bytes = min(self._credit_bytes - spent + byte_count, CREDIT_BYTES)
        self._credit_at = now

    def abort(self) -> None:
        """At once, whatever it sends or was to be sent."""
        self._is_closing = True
        self._writer.transport.abort()

    def close(self) -> None:
        """At once if it is waiting for a request, else after the answer."""
        self._is_closing = True
        if self.is_waiting:
            self._writer.close()

    async def run(self) -> None:
        while await self._exchange():
            self._protocol.start_next_cycle()

    async def _exchange(self) -> bool:
        """Answer one request; whether another may follow."""
        self.is_waiting = True
        self.waits_since = time.monotonic()
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                event = await self._next_event()
        except ConnectionAbortedError:
            return False
        except h11.RemoteProtocolError as error:
            await self._send(Response(error.error_status_hint, {"detail": "the request is not HTTP/1.1"}))
            return False
        if not isinstance(event, h11.Request):
            return False
        self.is_waiting = False
        try:
            await self._send(await self._answered(self._head(event)))
        finally:
            if self.held_bytes:
                self._memory.free(self.held_bytes)
                self.held_bytes = 0
        states = self._protocol.states
        return states == {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE} and not self._is_closing

    async def _answered(self, head: Head) -> Response:
        early = self._endpoint.early_response(head)
        try:
            if self._protocol.they_are_waiting_for_100_continue:
                if early is not None:
                    return early
                await self._write(h11.InformationalResponse(status_code=100, headers=[]))
            self._begin_body()
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    body = await self._body(head, is_kept=early is None)
            finally:
                self._is_reading_body = False
            return early or await self._answer(head, body)
        except TimeoutError:
            return self._endpoint.refuse(head, Refused(408, "timed out reading the body"))
        except h11.RemoteProtocolError as error:
            return self._endpoint.refuse(
                head, Refused(error.error_status_hint, "the body is not valid HTTP/1.1")
            )
        except Refused as refusal:
            return self._endpoint.refuse(head, refusal)

    async def _body(self, head: Head, is_kept: bool) -> bytes:
        parts: list[bytes] = []
        size, most = 0, self._endpoint.max_body_bytes(head)
        while isinstance(event := await self._next_event(), h11.Data):
            size += len(event.data)
            if size > _DRAINED_BODIES * most:
                break
            if is_kept and size <= most:
                await self._hold(head, size, most)
                parts.append(bytes(event.data))
            else:
                parts.clear()
        if is_kept and size > most:
            raise too_large(most)
        return b"".join(parts)

    async def _hold(self, head: Head, size: int, most: int) -> None:
        """Wait for the memory that a large body will take, before most of it is read."""
        if size <= _SMALL_BYTES or self.held_bytes:
            return
        # Bytes that come in chunks do not say how many they will be.
        announced = int(head.headers.get("content-length") or most)
        count = min(announced, most)
        self._is_reading_body = False
        await self._memory.hold(count)
        self.held_bytes = count
        self._begin_body()
        self._add_credit(size)

    async def _next_event(self) -> h11.Event | None:
        """None where the client sends its next request before this one is answered."""
        while (event := self._protocol.next_event()) is h11.NEED_DATA:
            data = await self._reader.read(_CHUNK_BYTES)
            if not data:
                raise ConnectionAbortedError("closed by the client")
            self._add_credit(len(data))
            self._protocol.receive_data(data)
        return event if isinstance(event, h11.Event) else None

    def _head(self, request: h11.Request) -> Head:
        path, _, query = request.target.decode("latin-1").partition("?")
        headers: dict[str, str] = {}
        for name, value in request.headers:
            key, text = name.decode("latin-1"), value.decode("latin-1")
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        peer = self._writer.get_extra_info("peername")
        return Head(request.method.decode("latin-1"), path, query, headers, peer[0] if peer else "")

    async def _send(self, answer: Response) -> None:
        if self._protocol.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        told = answer.body
        body = told.body if told else b""
        headers = {"Content-Length": str(len(body)), **answer.headers}
        if told:
            headers["Content-Type"] = told.content_type
        if self._is_closing or self._protocol.their_state is not h11.DONE:
            headers["Connection"] = "close"
        else:
            headers["Keep-Alive"] = f"timeout={IDLE_SECONDS}"
        reason = HTTPStatus(answer.status).phrase
        await self._write(
            h11.Response(status_code=answer.status, headers=list(headers.items()), reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        )

    async def _write(self, *events: h11.Event) -> None:
        self._writer.write(b"".join(self._protocol.send(event) or b"" for event in events))
        async with asyncio.timeout(WRITE_SECONDS):
            await self._writer.drain()
