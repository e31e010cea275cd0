"""A server that keeps nothing: it acknowledges every line, and says how many it has seen.

Run as a process of its own, so that what it costs is not counted with the sender. It answers at once, or with
`python -m bench.null_server DECODE_SECONDS INSERT_SECONDS` after the time that a service takes for each line.
Like a service it decodes one delivery at a time, and inserts several at once.
"""

import json
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from backports import zstd


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    line_count: ClassVar[int] = 0
    body_bytes: ClassVar[int] = 0
    lock: ClassVar[threading.Lock] = threading.Lock()
    decoding: ClassVar[threading.Lock] = threading.Lock()
    decode_seconds: ClassVar[float] = 0.0
    insert_seconds: ClassVar[float] = 0.0

    def do_GET(self) -> None:
        self._answer({"lines": Handler.line_count, "body_bytes": Handler.body_bytes, "valid": True})

    def do_POST(self) -> None:
        body = self._body()
        # Not line by line: a sender may leave out the newline of a body's last line.
        inflated = _inflated(body, self.headers.get("Content-Encoding", ""))
        lines = inflated.removesuffix(b"\n").count(b"\n") + 1 if inflated else 0
        if Handler.decode_seconds:
            with Handler.decoding:
                time.sleep(lines * Handler.decode_seconds)
            time.sleep(lines * Handler.insert_seconds)
        with Handler.lock:
            Handler.line_count += lines
            Handler.body_bytes += len(body)
        batch_id = self.headers.get("X-Errata-Batch-Id", "")
        self._answer({"batch_id": batch_id, "accepted": lines, "rejected": []})

    def _body(self) -> bytes:
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _answer(self, document: dict[str, object]) -> None:
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        pass


def _inflated(body: bytes, encoding: str) -> bytes:
    if encoding == "zstd":
        return zstd.decompress(body)
    if encoding in ("gzip", "deflate"):
        return zlib.decompress(body, wbits=47)
    return body


def main() -> None:
    if len(sys.argv) > 1:
        Handler.decode_seconds, Handler.insert_seconds = map(float, sys.argv[1:])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
