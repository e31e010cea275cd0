"""The intake's connections: how many there may be, and how they end."""

import asyncio
import contextlib
import logging
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import h11
from errata_wire.refusal import Refused

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
# While there is a place for new connections: whoever is closed comes again.
_BETWEEN_CLOSINGS_SECONDS = 0.1
# How long a client may take where there are too many, or too many large bodies.
PATIENCE_SECONDS = 0.25
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
        self._memory = Memory(_LARGE_BODIES * max_body_bytes)
        self._writers = ThreadPoolExecutor(_WRITERS, "errata-intake")
        self._connections: dict[Connection, asyncio.Task[None]] = {}

    @property
    def unanswered_count(self) -> int:
        return sum(not each.is_waiting for each in self._connections)

    async def serve(self, sockets: list[socket.socket], stop_descriptor: int) -> None:
        """Until the descriptor becomes readable; then what is here is still written and answered."""
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(stop_descriptor, stopping.set)
        tasks = [asyncio.create_task(self._accept(each)) for each in sockets]
        tasks.append(asyncio.create_task(self._thin_out()))
        try:
            await stopping.wait()
        finally:
            loop.remove_reader(stop_descriptor)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
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
        """Wait where too many are too new."""
        while len(self._connections) >= MAX_CONNECTIONS + MAX_NEW_CONNECTIONS:
            slow = self._slowest_first()
            if slow:
                self._close(slow[0])
            else:
                await asyncio.sleep(_LOOK_SECONDS)

    async def _thin_out(self) -> None:
        """Close the slowest clients now and then where there are too many, or their large bodies are."""
        while True:
            await asyncio.sleep(_BETWEEN_CLOSINGS_SECONDS)
            lack = self._memory.lack
            is_crowded = len(self._connections) >= MAX_CONNECTIONS
            for slow in self._slowest_first() if is_crowded or lack else ():
                if is_crowded or (lack > 0 and slow.held_bytes):
                    self._close(slow)
                    is_crowded = False
                    lack -= slow.held_bytes

    def _slowest_first(self) -> list[Connection]:
        """Without those that have only just come: their requests may be here, and not read yet."""
        until = time.monotonic() - PATIENCE_SECONDS
        slow = [each for each in self._connections if each.is_up_to_client and each.waits_since < until]
        return sorted(slow, key=lambda each: each.slowness, reverse=True)

    def _close(self, slow: Connection) -> None:
        del self._connections[slow]
        slow.abort()

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        began = Connection(
            reader,
            writer,
            self._endpoint,
            self._answer,
            self._memory,
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
            return self._endpoint.refuse(head, Refused(500, "internal error; see the shipper's log"))
