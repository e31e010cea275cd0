"""A real HTTP server that keeps the wire's contract, and breaks it where a test tells it to."""

import gzip
import json
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from backports import zstd

API_KEY = "errata_api_0123456789abcdef"
APP_KEY = "errata_app_0123456789abcdef"

_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "zstd": zstd.decompress,
    "gzip": gzip.decompress,
    "identity": lambda body: body,
}


@dataclass(frozen=True)
class Failure:
    """What is answered instead of the truth; `is_stored` if the server stores the lines all the same.

    Status 0 is the truth itself, which may come torn, or late by `delay_seconds`.
    """

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"error": "made_to_fail", "message": "made to fail"}'
    is_stored: bool = False
    is_torn: bool = False
    delay_seconds: float = 0.0


@dataclass
class Request:
    headers: dict[str, str]
    lines: list[bytes]
    status: int = 0

    @property
    def batch_id(self) -> str:
        return self.headers["x-errata-batch-id"]

    @property
    def source(self) -> dict[str, str]:
        return dict(part.split("=", 1) for part in self.headers["x-errata-source"].split("; "))


class IngestServer:
    def __init__(self) -> None:
        self.api_key = API_KEY
        self.app_key = APP_KEY
        # API keys taken beside the current one.
        self.other_api_keys: set[str] = set()
        self.encodings = ["zstd", "gzip", "identity"]
        self.line_limit = 10_000
        # One a delivery; None tells the truth.
        self.failures: list[Failure | None] = []
        # With none of them left: by X-Errata-Source and the body as sent, both empty where a key is verified.
        self.fails: Callable[[str, bytes], Failure | None] = lambda source, body: None
        self.rejects: Callable[[bytes], str | None] = lambda line: None
        self.poison: Callable[[bytes], bool] = lambda line: False
        # Called once a batch is stored, before it is answered.
        self.on_stored: Callable[[], None] = lambda: None
        self.requests: list[Request] = []
        # Those without a body, which tell of bytes that are not sent.
        self.reports: list[Request] = []
        self.connection_count = 0
        self._lock = threading.Lock()
        # Bound and never listening: nobody else gets the port while connections to it are refused.
        self._port_holder = socket.socket()
        self._port_holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._port_holder.bind(("127.0.0.1", 0))
        self.listen()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port_holder.getsockname()[1]}"

    def listen(self) -> None:
        self._server = _Server(self._port_holder.getsockname(), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def refuse_connections(self) -> None:
        """Those that are open break."""
        self._server.shutdown()
        self._server.server_close()
        self._server.break_connections()
        self._thread.join()

    @property
    def stored(self) -> list[bytes]:
        """Every line taken, repeats included, in the order of arrival."""
        with self._lock:
            return [line for request in self.requests if request.status == 200 for line in request.lines]

    def serve_tls(self, context: ssl.SSLContext) -> None:
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._port_holder.close()

    def count_connection(self) -> None:
        with self._lock:
            self.connection_count += 1

    def verify(self, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if not self._knows(headers):
            return 401, {"valid": False, "error": "invalid_api_key", "message": "Invalid API Key"}
        return 200, {"valid": True, "organization": "Acme", "created_at": "2026-11-21T00:00:00Z"}

    def ingest(self, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, Any]]:
        encoding = headers.get("content-encoding", "identity")
        if not self._knows(headers):
            return 401, {"error": "invalid_api_key", "message": "Invalid API Key"}
        if headers.get("x-errata-app-key") != self.app_key:
            return 404, {"error": "application_not_found", "message": "Application Not Found"}
        if encoding not in self.encodings:
            return 415, {"error": "unsupported_encoding", "message": ", ".join(self.encodings)}
        request = Request(headers, [line for line in _DECODERS[encoding](body).split(b"\n") if line.strip()])
        request.status, document = self._store(request)
        with self._lock:
            (self.requests if body else self.reports).append(request)
        self.on_stored()
        return request.status, document

    def _knows(self, headers: dict[str, str]) -> bool:
        known = {self.api_key, *self.other_api_keys}
        return headers.get("authorization", "").removeprefix("Bearer ") in known

    def _store(self, request: Request) -> tuple[int, dict[str, Any]]:
        if len(request.lines) > self.line_limit:
            return 413, {"error": "too_large", "message": f"{self.line_limit} lines"}
        if any(self.poison(line) for line in request.lines):
            return 400, {"error": "invalid_batch", "message": "poison"}
        rejected = [
            {"line": number, "reason": reason, "message": "refused"}
            for number, line in enumerate(request.lines, 1)
            if (reason := self.rejects(line)) is not None
        ]
        homeless = sum(entry["reason"] == "application_not_found" for entry in rejected)
        if homeless and homeless == len(request.lines):
            return 404, {"error": "application_not_found", "message": "Application Not Found"}
        accepted = len(request.lines) - len(rejected)
        return 200, {"batch_id": request.batch_id, "accepted": accepted, "rejected": rejected}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._connections: list[socket.socket] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.append(request)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is what tests are about; whatever else is told."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def break_connections(self) -> None:
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def _handler(server: IngestServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            server.count_connection()

        def do_GET(self) -> None:
            status, document = server.verify(_lower(self.headers.items()))
            failure = server.fails("", b"")
            if failure is not None:
                self._answer(failure.status, failure.body, failure)
            else:
                self._answer(status, json.dumps(document).encode(), None)

        def do_POST(self) -> None:
            headers = _lower(self.headers.items())
            body = self.rfile.read(int(headers["content-length"]))
            if server.failures:
                failure = server.failures.pop(0)
            else:
                failure = server.fails(headers.get("x-errata-source", ""), body)
            if failure is None or failure.is_stored or failure.status == 0:
                status, document = server.ingest(headers, body)
                answer = json.dumps(document).encode()
            if failure is not None:
                time.sleep(failure.delay_seconds)
            if failure is not None and failure.status != 0:
                status, answer = failure.status, failure.body
            self._answer(status, answer, failure)

        def _answer(self, status: int, content: bytes, failure: Failure | None) -> None:
            is_torn = failure is not None and failure.is_torn
            # The shipper may have been killed meanwhile, or have lost its patience.
            with suppress(ConnectionError):
                self.send_response(status)
                for name, value in (failure.headers if failure else {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if is_torn else content)
            self.close_connection = is_torn

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
            pass

    return Handler


def _lower(headers: list[tuple[str, str]]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers}


@contextmanager
def running_server() -> Iterator[IngestServer]:
    server = IngestServer()
    try:
        yield server
    finally:
        server.stop()
