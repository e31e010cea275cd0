"""A real HTTP proxy: tunnels by CONNECT, forwards plain requests, and asks for a password where told to."""

import base64
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class ProxyServer:
    def __init__(self, credentials: str | None, context: ssl.SSLContext | None) -> None:
        self.credentials = credentials
        # Every request line, as it came.
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def place(self) -> str:
        return f"localhost:{self._server.server_address[1]}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def admits(self, header: str | None) -> bool:
        if self.credentials is None:
            return True
        return header == f"Basic {base64.b64encode(self.credentials.encode()).decode()}"


def _handler(proxy: ProxyServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_CONNECT(self) -> None:
            if not self._is_admitted():
                return
            host, _, port = self.path.rpartition(":")
            with socket.create_connection((host, int(port))) as server:
                self.send_response(200)
                self.end_headers()
                _join(self.connection, server)
            self.close_connection = True

        def do_GET(self) -> None:
            self._forward()

        def do_POST(self) -> None:
            self._forward()

        def _forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            if not self._is_admitted():
                return
            target = urlsplit(self.path)
            onward = HTTPConnection(target.netloc)
            onward.request(self.command, target.path, body, dict(self.headers.items()))
            answer = onward.getresponse()
            content = answer.read()
            onward.close()
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _is_admitted(self) -> bool:
            proxy.asked.append(self.requestline)
            if proxy.admits(self.headers.get("Proxy-Authorization")):
                return True
            self.send_response(407)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
            pass

    return Handler


def _join(left: socket.socket, right: socket.socket) -> None:
    """Pass bytes both ways until one side ends."""
    # Not select, which knows no descriptor over 1023: the suite may have as many open.
    waiting = select.poll()
    sockets = {end.fileno(): end for end in (left, right)}
    for descriptor in sockets:
        waiting.register(descriptor, select.POLLIN)
    while True:
        readable = [sockets[descriptor] for descriptor, _ in waiting.poll()]
        if isinstance(left, ssl.SSLSocket) and left in readable:
            readable = [left]
        for source in readable:
            with suppress(OSError):
                content = source.recv(65536)
                (right if source is left else left).sendall(content)
                if content:
                    continue
            return


@contextmanager
def running_proxy(
    credentials: str | None = None, context: ssl.SSLContext | None = None
) -> Iterator[ProxyServer]:
    server = ProxyServer(credentials, context)
    try:
        yield server
    finally:
        server.stop()
