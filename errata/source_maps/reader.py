"""Asks the process that opens uploaded maps, and starts it where it has ended."""

import atexit
import logging
import os
import socket
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

import msgspec

from errata.source_maps.opened import MapUnreadable, Original, ReaderMissing
from errata.source_maps.reader_process import Key, Outcome, Place, Request, Response

# Its processor time is limited: longer only waits for a busy machine.
SECONDS = 60.0
ENDED = "the reader ran out of time, memory or stack"
MOST_REFUSED = 1_000
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "LANG")

log = logging.getLogger("errata.source_maps")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Response).decode


@dataclass(frozen=True)
class _Process:
    process: "subprocess.Popen[bytes]"
    connection: Connection

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()


class Reader:
    """Thread-safe; one request at a time. Maps that ended the process are not tried again."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._refused: OrderedDict[Key, None] = OrderedDict()
        atexit.register(self.close)

    def originals(
        self, key: Key, places: Sequence[Place], contents: Callable[[], tuple[bytes, bytes]]
    ) -> list[Original | None]:
        """In the order of the places. `contents` are those of the script and its map, asked for where they
        are not open; one pair at a time is in memory. Raises MapUnreadable and ReaderMissing."""
        with self._lock:
            response = self._response(Request(key, places))
            if response.outcome is Outcome.NOT_OPEN:
                response = self._response(Request(key, places, has_contents=True), *contents())
        if response.outcome is Outcome.UNREADABLE:
            raise MapUnreadable(response.detail)
        if response.outcome is Outcome.NO_READER:
            raise ReaderMissing
        return response.originals

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.end()
                self._process = None

    def _response(self, request: Request, *contents: bytes) -> Response:
        if request.key in self._refused:
            return Response(Outcome.UNREADABLE, ENDED)
        process = self._running()
        try:
            for part in (_encode(request), *contents):
                process.connection.send_bytes(part)
            if process.connection.poll(self._seconds):
                return _decode(process.connection.recv_bytes())
        except (EOFError, OSError):
            pass
        process.end()
        self._process = None
        if not request.has_contents:
            # Ended since it was asked last, or by an open map, which is tried again from its beginning.
            return Response(Outcome.NOT_OPEN)
        self._refuse(request.key)
        ended_with = process.process.returncode
        log.warning("The reader of source maps ended with %s: script and map %s", ended_with, request.key)
        return Response(Outcome.UNREADABLE, ENDED)

    def _refuse(self, key: Key) -> None:
        self._refused[key] = None
        if len(self._refused) > MOST_REFUSED:
            self._refused.popitem(last=False)

    def _running(self) -> _Process:
        if self._process is None:
            self._process = _started()
        return self._process


def _started() -> _Process:
    own, other = socket.socketpair()
    with other:
        process = subprocess.Popen(
            [sys.executable, "-m", "errata.source_maps.reader_process"],
            stdin=other.fileno(),
            stdout=subprocess.DEVNULL,
            # Files of strangers are opened there: no secrets of ours.
            env={
                **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
        )
    return _Process(process, Connection(own.detach()))
