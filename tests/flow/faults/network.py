"""The way from one host to the service: a small HTTP proxy that breaks where it is told to."""

import asyncio
import errno
import socket
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from urllib.parse import urlsplit

STOPPED_WITHIN_SECONDS = 5


@dataclass(frozen=True)
class Request:
    """`number` counts the deliveries of one host, from 0."""

    number: int
    head: bytes
    body: bytes

    def header(self, name: str) -> str:
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.strip().lower() == name:
                return value.strip()
        return ""


@dataclass(frozen=True)
class Treatment:
    """What becomes of a delivery; by default it passes untouched."""

    # Sent instead of the service's answer; `is_forwarded` says whether the service gets the delivery.
    answer: bytes | None = None
    is_forwarded: bool = True
    # Shares of the request's and the answer's bytes that get through before the connection breaks.
    request_share: float = 1.0
    answer_share: float = 1.0
    answer_delay_seconds: float = 0.0
    on_answer: Callable[[], None] | None = None


PASS = Treatment()


class Network:
    """Listens on a port of its own. `treat` decides about each delivery; other requests just pass."""

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        self._upstream = (parts.hostname or "127.0.0.1", parts.port or 80)
        self.treat: Callable[[Request], Treatment] = lambda request: PASS
        self.broken_count = 0
        self._delivery_count = 0
        # Bound and never listening: nobody else gets the port while connections to it are refused.
        self._holder = socket.socket()
        self._holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._holder.bind(("127.0.0.1", 0))
        self._port = int(self._holder.getsockname()[1])
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._is_closing = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.connect()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def connect(self) -> None:
        self._await(self._listen())

    def disconnect(self) -> None:
        """From now on connections are refused; those that are open break."""
        self._await(self._stop_listening())

    def close(self) -> None:
        self.disconnect()
        self._holder.close()
        self._loop.call_soon_threadsafe(self._is_closing.set)
        self._thread.join(STOPPED_WITHIN_SECONDS)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_closing())

    async def _until_closing(self) -> None:
        await self._is_closing.wait()

    def _await(self, work: Coroutine[None, None, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(STOPPED_WITHIN_SECONDS)

    async def _listen(self) -> None:
        while self._server is None:
            try:
                self._server = await asyncio.start_server(
                    self._serve, "127.0.0.1", self._port, reuse_address=True
                )
            except OSError as error:
                # A process that is just being started has a copy of the old socket until it runs.
                if error.errno != errno.EADDRINUSE:
                    raise
                await asyncio.sleep(0.01)

    async def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.current_task()
        assert connection is not None
        self._connections.add(connection)
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # Either end has gone, or the network has.
            pass
        finally:
            self._connections.discard(connection)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; False where the connection is to break."""
        head, body = await _message(reader)
        treatment = PASS
        if head.startswith(b"POST "):
            treatment = self.treat(Request(self._delivery_count, head, body))
            self._delivery_count += 1
            self.broken_count += treatment != PASS
        answer = treatment.answer or b""
        if treatment.request_share < 1.0:
            await self._begin_to_forward(head + body, treatment.request_share)
            return False
        if treatment.is_forwarded:
            given = await self._forward(head + body)
            answer = treatment.answer if treatment.answer is not None else given
        if treatment.answer_delay_seconds:
            await asyncio.sleep(treatment.answer_delay_seconds)
        if treatment.on_answer is not None:
            await asyncio.to_thread(treatment.on_answer)
        writer.write(answer[: int(len(answer) * treatment.answer_share)])
        await writer.drain()
        return treatment.answer_share == 1.0

    async def _begin_to_forward(self, content: bytes, share: float) -> None:
        _, writer = await asyncio.open_connection(*self._upstream)
        writer.write(content[: int(len(content) * share)])
        await writer.drain()
        writer.close()

    async def _forward(self, content: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*self._upstream)
        try:
            writer.write(content)
            await writer.drain()
            return b"".join(await _message(reader))
        finally:
            writer.close()


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return head, await reader.readexactly(int(value))
    return head, b""


def answer_of(status: str, body: bytes, *headers: str, content_type: str = "application/json") -> bytes:
    """An HTTP answer such as the service, or something between it and the host, would give."""
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
