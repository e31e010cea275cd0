"""The intake's connections: how many there may be, and how they end."""

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import h11

from errata_shipper.intake import connection
from errata_shipper.intake.connection import Connection
from errata_shipper.intake.endpoint import Endpoint, Head, Response
from errata_shipper.intake.memory import Memory

# With the new ones below what a process may usually have open, beside the log files.
MAX_CONNECTIONS = 512
# Over the limit, while they are too new to tell who is slow.
MAX_NEW_CONNECTIONS = 256
# For requests that are here when the shipper is told to stop.
STOP_SECONDS = 2.0
_LOOK_SECONDS = 0.02
# While there is a place for new connections.
_BETWEEN_CLOSINGS_SECONDS = 0.1
# For a client to take the last of its answer.
_CLOSE_SECONDS = 5.0
# That may be on their way at once.
_LARGE_BODIES = 4
# More would take memory for large bodies, and save no time: each needs the interpreter.
_WRITERS = 2

log = logging.getLogger(__name__)


class Server:
    def __init__(self, endpoint: Endpoint, max_body_bytes: int) -> None:
        self._endpoint = endpoint
        self._max_body_bytes = max_body_bytes
        self._memory = Memory(_LARGE_BODIES * max_body_bytes)
        self._writers = ThreadPoolExecutor(_WRITERS, "errata-intake")
        self._connections: dict[Connection, asyncio.Task[None]] = {}
        self._looks_at = 0.0

    @property
    def unanswered_count(self) -> int:
        return sum(not each.is_waiting for each in self._connections)

    async def serve(self, sockets: list[socket.socket], stop_descriptor: int) -> None:
        """Until the descriptor becomes readable; then what is here is still written and answered."""
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(stop_descriptor, stopping.set)
        accepting = [asyncio.create_task(self._accept(each)) for each in sockets]
        try:
            await stopping.wait()
        finally:
            loop.remove_reader(stop_descriptor)
            for task in accepting:
                task.cancel()
            await asyncio.gather(*accepting, return_exceptions=True)
            await self._end_connections()
            self._writers.shutdown()

    async def _accept(self, listening: socket.socket) -> None:
        """Connections over the limit stay in the system's queue until there is a place for them."""
        listening.setblocking(False)
        with listening:
            while True:
                try:
                    connected, _ = await asyncio.get_running_loop().sock_accept(listening)
                    try:
                        await self._place()
                    finally:
                        self._begin(*await asyncio.open_connection(sock=connected))
                except OSError as error:
                    log.warning("Intake: accepting a connection failed: %s", error)
                    await asyncio.sleep(_LOOK_SECONDS)

    async def _place(self) -> None:
        """Close the slowest client's now and then, for it comes again; wait where too many are too new."""
        while (count := len(self._connections)) >= MAX_CONNECTIONS:
            most = MAX_CONNECTIONS + MAX_NEW_CONNECTIONS
            if count >= most or time.monotonic() >= self._looks_at:
                self._looks_at = time.monotonic() + _BETWEEN_CLOSINGS_SECONDS
                self._close_slowest(self._connections)
            if len(self._connections) < most:
                return
            await asyncio.sleep(_LOOK_SECONDS)

    def _make_room(self) -> None:
        """Of large bodies on their way the slowest gives its memory to another."""
        self._close_slowest([each for each in self._connections if each.held_bytes])

    def _close_slowest(self, connections: Iterable[Connection]) -> None:
        # Not one that has only just come: its request may be here, and not read yet.
        until = time.monotonic() - connection.PATIENCE_SECONDS
        slow = [each for each in connections if each.is_up_to_client and each.waits_since < until]
        slowest = max(slow, key=lambda each: each.slowness, default=None)
        if slowest is not None:
            del self._connections[slowest]
            slowest.abort()

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        began = Connection(
            reader,
            writer,
            self._endpoint,
            self._answer,
            self._max_body_bytes,
            self._memory,
            self._make_room,
        )
        self._connections[began] = asyncio.create_task(self._serve_one(began, writer))

    async def _serve_one(self, served: Connection, writer: asyncio.StreamWriter) -> None:
        try:
            await served.run()
        except (OSError, TimeoutError, h11.ProtocolError) as error:
            log.debug("Intake: connection lost: %r", error)
        finally:
            self._connections.pop(served, None)
            writer.close()
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await writer.wait_closed()
            writer.transport.abort()

    async def _end_connections(self) -> None:
        # What has come is read first: once to receive it, once to begin the request.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        tasks = list(self._connections.values())
        for each in list(self._connections):
            each.close()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=STOP_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _answer(self, head: Head, body: bytes) -> Response:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._writers, self._endpoint.answer, head, body)
        except Exception:
            log.exception("Intake failed unexpectedly")
            return Response(500, {"detail": "internal error; see the shipper's log"})
