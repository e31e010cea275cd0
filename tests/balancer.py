"""A balancer before several servers."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import cycle


@contextmanager
def balanced(*ports: int) -> Iterator[int]:
    """The port of a balancer that leads each connection to another server."""
    turns = cycle(ports)

    class Connection(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection(("127.0.0.1", next(turns))) as server:
                back = threading.Thread(target=_copied, args=(server, self.request))
                back.start()
                _copied(self.request, server)
                back.join()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Connection) as balancer:
        balancer.daemon_threads = True
        threading.Thread(target=balancer.serve_forever, daemon=True).start()
        yield balancer.server_address[1]
        balancer.shutdown()


def _copied(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)
