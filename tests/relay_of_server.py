"""An address of a server that can be stopped and started, while the server itself goes on."""

import socket
import threading
from contextlib import suppress

from tests.ports import free_port


class RelayOfServer:
    """Connections to `port` lead to `to`, both of this host."""

    def __init__(self, to: int) -> None:
        self.port = free_port()
        self._to = to
        self._listener: socket.socket | None = None
        self._open: set[socket.socket] = set()

    def start(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self) -> None:
        """With all its connections, as when a machine ends."""
        ended = [one for one in (self._listener, *self._open) if one is not None]
        self._listener = None
        for one in ended:
            _end(one)

    def _accept(self, listener: socket.socket) -> None:
        with listener, suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as server:
            self._open |= {client, server}
            back = threading.Thread(target=_copy, args=(server, client), daemon=True)
            back.start()
            _copy(client, server)
            back.join()
            self._open -= {client, server}


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
    _end(source)
    _end(target)


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
