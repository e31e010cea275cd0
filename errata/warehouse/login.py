"""Admits the engine's own login as `default`, once.

The engine opens its port by a statement of its own session, as `default` from 127.0.0.1, before it knows any
password. Every process on this machine has that address. So the engine asks this server who may log in as
`default`: the first question is its own, asked before the port is open; every later one is refused.
"""

import logging
import secrets
import socket
import threading

log = logging.getLogger("errata.warehouse")

ADMITTED = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
REQUEST_WITHIN_SECONDS = 1
LONGEST_REQUEST_BYTES = 8192


class SingleLogin:
    """The server of that question. It keeps its port for the life of the process: on a released port, another
    process could answer yes."""

    def __init__(self) -> None:
        self._path = f"/{secrets.token_urlsafe(32)}"
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._is_spent = False

    @property
    def url(self) -> str:
        host, port = self._socket.getsockname()
        return f"http://{host}:{port}{self._path}"

    def start(self) -> None:
        threading.Thread(target=self._accept_all, name="login", daemon=True).start()

    def _accept_all(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            # A client that sends nothing must not keep the engine's question waiting.
            threading.Thread(target=self._answer_one, args=(connection,), daemon=True).start()

    def _answer_one(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.settimeout(REQUEST_WITHIN_SECONDS)
                connection.sendall(self._answer(connection.recv(LONGEST_REQUEST_BYTES)))
            except OSError as error:
                log.warning("a question about a login broke off: %s", error)

    def _answer(self, request: bytes) -> bytes:
        if self._is_spent or not request.startswith(f"GET {self._path} ".encode()):
            return REFUSED
        self._is_spent = True
        return ADMITTED
