"""HTTP servers that answer as a test wants, and keep what they were asked."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass
class HttpServer:
    url: str
    asked: list[Asked] = field(default_factory=list)


Replier = Callable[[Asked], Reply]


@contextmanager
def serving(
    reply: Replier = lambda asked: Reply(), context: ssl.SSLContext | None = None
) -> Iterator[HttpServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, self.rfile.read(length))
            running.asked.append(asked)
            given = reply(asked)
            self.send_response(given.status)
            for name, value in {"Content-Length": str(len(given.body)), **given.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(given.body)
            except ConnectionError:
                self.close_connection = True

        def __getattr__(self, name: str) -> Callable[[], None]:
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def log_request(self, *_said: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scheme = "http"
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    running = HttpServer(f"{scheme}://localhost:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
