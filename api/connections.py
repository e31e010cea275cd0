"""Connections of the web server, with limits that uvicorn lacks: for slow clients and for endless heads.

`uvicorn --http api.connections:Connection`.
"""

import asyncio
import fcntl
import math
import struct
import termios
import time
from collections.abc import Callable
from itertools import takewhile
from typing import ClassVar, Literal

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from api.limits import BODY_MAX_BYTES

# Browsers and shippers send a few kB. A longer head is accepted if it is received in one piece with its end.
HEAD_MAX_BYTES = 64 << 10
# As many as browsers and shippers hold open between two requests.
WAITING_MAX = 512
# Of bodies on their way together; small ones always fit.
BODIES_MAX_BYTES = 64 << 20
SMALL_BYTES = 64 << 10
# Of bodies and of responses in reading, where connections are short; slower ones are the first to be closed.
MIN_BYTES_PER_SECOND = 8 << 10
# A second: more than this sent ahead of the minimum rate counts as no more.
CREDIT_BYTES = MIN_BYTES_PER_SECOND
# For the next step of a client, however many others there are.
PATIENCE_SECONDS = 0.25
# Between two looks for the slowest, and how many of those over the limit one look closes: whoever is closed
# comes again.
LOOK_SECONDS = 0.2
CLOSED_SHARE = 1 / 16
HEAD_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 28\r\nconnection: close\r\n\r\n"
    b"The request head is too long"
)


Wait = Literal["request", "body", "reading"]
"""What a client has to do next: send a request, send the rest of one, or read a response."""


class Connection(HttpToolsProtocol):
    """A connection that waits for its client, or works on its request.

    When too many wait, the slowest are closed: a client that opens thousands and is slow with all of them so
    closes its own, since an honest client sends its request at once, and its body at some rate.
    """

    # One event loop a process; in the order in which their waits began.
    _waiting: ClassVar[dict["Connection", None]] = {}
    _bodies_bytes: ClassVar[int] = 0
    _looks_at: ClassVar[float] = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = Flow(transport, self._settle)
        # Since the last piece of a body, or the beginning or end of a head.
        self._unparsed_bytes = 0
        self._is_in_head = True
        self._waits_for: Wait | None = None
        self._waits_since = 0.0
        self._body_bytes = self._held_bytes = 0
        self._unread_bytes = 0
        self._credit_bytes, self._credit_at = 0.0, 0.0
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unparsed_bytes += len(data)
        super().data_received(data)
        if self._unparsed_bytes > HEAD_MAX_BYTES and not self.transport.is_closing():
            self._refuse()
        self._settle()

    def on_message_begin(self) -> None:
        self._is_in_head = True
        self._unparsed_bytes = self._body_bytes = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        # After a body in pieces there may be more of them, which nothing here reads.
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._unparsed_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unparsed_bytes = 0
        self._body_bytes += len(body)
        self._add_credit(len(body), time.monotonic())
        super().on_body(body)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._settle()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._settle()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._settle()

    def _unsupported_upgrade_warning(self) -> None:
        """Does nothing: the request is answered as if it had asked for no other protocol."""

    def _refuse(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self.transport.write(HEAD_TOO_LARGE)
            self.transport.close()
        else:
            # It would come before the response to an earlier request, or within it.
            self.transport.abort()

    def _settle(self) -> None:
        """Notes what the connection waits for; called upon every activity."""
        waits_for = self._wait()
        if waits_for != self._waits_for:
            self._leave()
            self._waits_for, self._waits_since = waits_for, time.monotonic()
            # The first piece of a body comes with the head.
            ahead = self._body_bytes if waits_for == "body" else 0
            self._credit_bytes, self._credit_at = min(ahead, CREDIT_BYTES), self._waits_since
            self._unread_bytes = self._unread() if waits_for == "reading" else 0
            if waits_for is not None:
                self._waiting[self] = None
        if waits_for == "body":
            self._hold(min(self._body_bytes, BODY_MAX_BYTES))
        self._close_slowest()

    def _leave(self) -> None:
        self._waiting.pop(self, None)
        self._waits_for = None
        self._hold(0)

    def _hold(self, byte_count: int) -> None:
        """Counts the body on its way: as much of it as may be in memory before its sender is known."""
        Connection._bodies_bytes += byte_count - self._held_bytes
        self._held_bytes = byte_count

    def _wait(self) -> Wait | None:
        # None before the first request, whatever its type says.
        cycle: RequestResponseCycle | None = self.cycle
        if self.flow.write_paused:
            return "reading"
        if cycle is None or cycle.response_complete:
            return "request"
        return "body" if cycle.more_body and not self.flow.read_paused else None

    def _close_slowest(self) -> None:
        """Closes the slowest where too many wait, or their bodies are too large together."""
        now = time.monotonic()
        if not self._is_crowded() or now < Connection._looks_at:
            return
        until = now - PATIENCE_SECONDS
        known = takewhile(lambda one: one._waits_since < until, self._waiting)
        excess = max(0, len(self._waiting) - WAITING_MAX)
        kept = len(self._waiting) - math.ceil(excess * CLOSED_SHARE)
        for one in sorted(known, key=lambda one: one._slowness(now), reverse=True):
            is_too_large = self._bodies_bytes > BODIES_MAX_BYTES and one._held_bytes > SMALL_BYTES
            if is_too_large or len(self._waiting) > kept:
                one._leave()
                one.transport.abort()
        Connection._looks_at = now + LOOK_SECONDS
        self.loop.call_later(LOOK_SECONDS, self._look_again)

    def _look_again(self) -> None:
        Connection._looks_at = 0.0
        self._close_slowest()

    def _is_crowded(self) -> bool:
        return len(self._waiting) > WAITING_MAX or self._bodies_bytes > BODIES_MAX_BYTES

    def _slowness(self, now: float) -> tuple[bool, float]:
        """Greater for those to be closed first: bodies and readers under the minimum rate, those that
        wait for a request longest, then other bodies and readers."""
        if self._waits_for == "request":
            return False, now - self._waits_since
        if self._waits_for == "reading":
            unread = self._unread()
            self._add_credit(self._unread_bytes - unread, now)
            self._unread_bytes = unread
        else:
            self._add_credit(0, now)
        return self._credit_bytes < 0, -self._credit_bytes

    def _unread(self) -> int:
        """Bytes of the response, here and in the system's buffer, which takes megabytes at a time."""
        queued = fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
        return self.transport.get_write_buffer_size() + int(struct.unpack("i", queued)[0])

    def _add_credit(self, byte_count: int, now: float) -> None:
        spent = (now - self._credit_at) * MIN_BYTES_PER_SECOND
        self._credit_bytes = min(self._credit_bytes - spent + byte_count, CREDIT_BYTES)
        self._credit_at = now


class Flow(FlowControl):
    """Signals when reading continues: from then on the connection waits for its client again."""

    def __init__(self, transport: asyncio.Transport, goes_on: Callable[[], None]) -> None:
        super().__init__(transport)
        self._goes_on = goes_on

    def resume_reading(self) -> None:
        super().resume_reading()
        self._goes_on()
