"""Stands before the intake and keeps what is sent to it, byte for byte."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator


class Recorder:
    def __init__(self, target_port: int) -> None:
        self.port = 0
        # What each connection has sent, in the order of their beginnings.
        self.streams: list[bytearray] = []
        self._target_port = target_port
        self._loop = asyncio.new_event_loop()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        server = self._loop.run_until_complete(asyncio.start_server(self._pass_on, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        thread = threading.Thread(target=self._loop.run_forever)
        thread.start()
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
            server.close()
            self._loop.close()

    def take(self) -> list[bytes]:
        """What was sent since the last time."""
        taken, self.streams = self.streams, []
        return [bytes(stream) for stream in taken if stream]

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        stream = bytearray()
        self.streams.append(stream)
        there, back = await asyncio.open_connection("127.0.0.1", self._target_port)
        await asyncio.gather(self._pump(reader, back, stream), self._pump(there, writer, bytearray()))

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, stream: bytearray
    ) -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(65536):
                stream += chunk
                writer.write(chunk)
                await writer.drain()
        writer.close()
