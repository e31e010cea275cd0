"""Connections of the web server, with limits that uvicorn lacks: for slow clients and for endless heads.

`uvicorn --http api.connections:Connection`.
"""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

# Browsers and shippers send a few kB. A longer head is accepted if it is received in one piece with its end.
HEAD_MAX_BYTES = 64 << 10
# As many as browsers and shippers hold open between two requests.
WAITING_MAX = 512
HEAD_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 28\r\nconnection: close\r\n\r\n"
    b"The request head is too long"
)


class Connection(HttpToolsProtocol):
    """A connection that waits for its client: for a request, the rest of one, or the reading of a response.

    When too many wait, the one without activity for longest is closed. A client that opens thousands and is
    slow with all of them so closes its own, since an honest client sends its request at once.
    """

    # One event loop a process.
    _waiting: ClassVar[dict["Connection", None]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = Flow(transport, self._settle)
        # Since the last piece of a body, or the beginning or end of a head.
        self._unparsed_bytes = 0
        self._is_in_head = True
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        self._waiting.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unparsed_bytes += len(data)
        super().data_received(data)
        if self._unparsed_bytes > HEAD_MAX_BYTES and not self.transport.is_closing():
            self._refuse()
        self._settle()

    def on_message_begin(self) -> None:
        self._is_in_head = True
        self._unparsed_bytes = 0
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
        """Moves the connection to the end of those that wait, if it does; called upon every activity."""
        self._waiting.pop(self, None)
        if not self._is_waiting():
            return
        self._waiting[self] = None
        if len(self._waiting) > WAITING_MAX:
            longest = next(iter(self._waiting))
            del self._waiting[longest]
            longest.transport.abort()

    def _is_waiting(self) -> bool:
        # None before the first request, whatever its type says.
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete or self.flow.write_paused:
            return True
        return cycle.more_body and not self.flow.read_paused


class Flow(FlowControl):
    """Signals when reading continues: from then on the connection waits for its client again."""

    def __init__(self, transport: asyncio.Transport, goes_on: Callable[[], None]) -> None:
        super().__init__(transport)
        self._goes_on = goes_on

    def resume_reading(self) -> None:
        super().resume_reading()
        self._goes_on()
