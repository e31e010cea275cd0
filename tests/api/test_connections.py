"""Clients of the web server that are slow, or never end: over real sockets."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

import pytest
import urllib3
import uvicorn
from starlette.types import Receive, Scope, Send

from api.connections import HEAD_MAX_BYTES
from tests.processes import free_port

WAITING_MAX = 60
ANSWER_BYTES = 64 << 20
LARGE_ANSWER = bytes(ANSWER_BYTES)
WITHIN_SECONDS = 10.0
HALF_A_HEAD = b"GET / HTTP/1.1\r\nHost: x\r\nX-"
HALF_A_LARGE_BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 400_000
HALF_A_BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc"
IN_PIECES = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"
ALL_OF_A_LARGE_ANSWER = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n"


@dataclass
class Server:
    """Answers with the number of headers; `/large` at length, `/held` once it may."""

    port: int
    goes_on: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Event = field(default_factory=threading.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        if scope["path"] == "/held":
            self.arrived.set()
            await asyncio.to_thread(self.goes_on.wait, WITHIN_SECONDS)
        body = LARGE_ANSWER if scope["path"] == "/large" else str(len(scope["headers"])).encode()
        head = (b"content-length", str(len(body)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [head]})
        await send({"type": "http.response.body", "body": body})

    def status(self, path: str = "/") -> int:
        with urllib3.PoolManager(retries=False, timeout=WITHIN_SECONDS) as pool:
            return pool.request("GET", f"http://127.0.0.1:{self.port}{path}").status

    @contextmanager
    def clients(self, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
        """So many at once, each of which sent that and no more."""
        with ExitStack() as stack:
            clients = []
            for _ in range(count):
                address = "127.0.0.1", self.port
                clients.append(stack.enter_context(socket.create_connection(address, WITHIN_SECONDS)))
                clients[-1].sendall(sent)
            yield clients


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("api.connections.WAITING_MAX", WAITING_MAX)
    monkeypatch.setattr("api.connections.PATIENCE_SECONDS", 0.02)
    monkeypatch.setattr("api.connections.LOOK_SECONDS", 0.05)
    application = Server(free_port())
    settings = uvicorn.Config(
        application,
        port=application.port,
        http="api.connections:Connection",
        loop="uvloop",
        lifespan="off",
        ws="none",
        log_level="critical",
        timeout_graceful_shutdown=1,
    )
    running = uvicorn.Server(settings)
    thread = threading.Thread(target=running.run)
    thread.start()
    urllib3.PoolManager(retries=urllib3.Retry(20, backoff_factor=0.02)).request(
        "GET", f"http://127.0.0.1:{application.port}/"
    )
    yield application
    application.goes_on.set()
    running.should_exit = True
    thread.join()


def is_closed(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", HALF_A_HEAD, HALF_A_BODY, HALF_A_LARGE_BODY], ids=len)
def test_of_clients_that_never_go_on_the_first_are_closed(server: Server, sent: bytes) -> None:
    with server.clients(WAITING_MAX + 50, sent) as clients:
        assert server.status() == 200
        assert all(map(is_closed, clients[:40]))
        clients[-1].settimeout(0.1)
        assert not is_closed(clients[-1])
    assert server.status() == 200


def test_who_asks_and_never_reads_is_closed_in_the_end(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.connections.CREDIT_BYTES", 0)
    with server.clients(1, ALL_OF_A_LARGE_ANSWER) as (reader,):
        # What the system takes of the response in the beginning is not told from what is read.
        for _ in range(3):
            with server.clients(WAITING_MAX + 10, b""):
                assert server.status() == 200
                time.sleep(0.1)
        read = 0
        while (part := _received(reader)) is not None:
            read += len(part)
        assert read < ANSWER_BYTES


def _received(client: socket.socket) -> bytes | None:
    try:
        return client.recv(1 << 20) or None
    except ConnectionError:
        return None


def test_a_request_that_is_worked_on_is_not_closed_for_others_that_wait(server: Server) -> None:
    statuses: list[int] = []
    asking = threading.Thread(target=lambda: statuses.append(server.status("/held")))
    asking.start()
    assert server.arrived.wait(WITHIN_SECONDS)
    with server.clients(WAITING_MAX + 50, HALF_A_HEAD):
        assert server.status() == 200
        server.goes_on.set()
        asking.join()
    assert statuses == [200]


STALLS = {
    "before the head": b"",
    "in the head": HALF_A_HEAD,
    "after the head": HALF_A_BODY[:-3],
    "in the body": HALF_A_BODY,
    "in a large body": HALF_A_LARGE_BODY,
    "in chunks": IN_PIECES,
    "in the size of a chunk": IN_PIECES + b"ff",
    "behind chunks": IN_PIECES + b"0\r\nX-Late: ",
    "asked to go on": b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9000\r\n\r\n",
    "after a request": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "in the next head": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + HALF_A_HEAD,
    "in the next body": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + HALF_A_BODY,
}
THIN_LINE_BYTES_PER_SECOND = 64_000


@pytest.mark.parametrize("is_drip_fed", [False, True], ids=["stalled", "drip-fed"])
@pytest.mark.parametrize("sent", STALLS.values(), ids=STALLS)
def test_an_upload_on_a_thin_line_outlives_clients_that_stall_anywhere(
    server: Server, sent: bytes, is_drip_fed: bool
) -> None:
    body = b"x" * 30_000
    begun = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n" + b"x" * 10_000
    with server.clients(WAITING_MAX + 20, sent) as stalled, server.clients(1, begun) as (honest,):
        for at in range(0, len(body), 640):
            honest.sendall(body[at : at + 640])
            time.sleep(640 / THIN_LINE_BYTES_PER_SECOND)
            # Each a few bytes a second.
            for client in stalled[at // 640 % 8 :: 8] if is_drip_fed else ():
                with suppress(OSError):
                    client.sendall(b"1")
        assert server.status() == 200
        assert honest.recv(15) == b"HTTP/1.1 200 OK"


def test_large_bodies_on_their_way_are_bounded_together_and_the_slowest_leave(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.connections.BODIES_MAX_BYTES", 4_000_000)
    with server.clients(20, HALF_A_LARGE_BODY) as stalled, server.clients(20, HALF_A_BODY) as small:
        assert sum(map(is_closed, stalled[:10])) == 10
        body = HALF_A_LARGE_BODY + b"x" * 600_000
        with server.clients(1, body) as (honest,):
            assert honest.recv(15) == b"HTTP/1.1 200 OK"
        small[0].sendall(b"x" * 997)
        assert small[0].recv(15) == b"HTTP/1.1 200 OK"


def test_whoever_reads_slowly_but_reads_outlives_those_that_stopped(server: Server) -> None:
    with server.clients(1, ALL_OF_A_LARGE_ANSWER) as (reader,):
        read = 0
        with server.clients(WAITING_MAX - 10, HALF_A_BODY), server.clients(20, ALL_OF_A_LARGE_ANSWER):
            for _ in range(40):
                read += len(reader.recv(1 << 18))
                time.sleep(0.01)
        while read < ANSWER_BYTES and (part := _received(reader)) is not None:
            read += len(part)
        assert read >= ANSWER_BYTES


def test_a_head_without_end_is_refused(server: Server) -> None:
    with server.clients(1, b"GET / HTTP/1.1\r\nHost: x\r\n") as (client,), pytest.raises(ConnectionError):
        for _ in range(100):
            client.sendall(b"X-Name: " + b"v" * HEAD_MAX_BYTES + b"\r\n")
    with server.clients(1, b"GET /") as (client,):
        # The piece in which a request begins is taken as it is.
        assert server.status() == 200
        client.sendall(b"a" * (HEAD_MAX_BYTES + 1))
        assert client.recv(12) == b"HTTP/1.1 431"
        assert all(part.isascii() for part in iter(lambda: client.recv(100), b""))
    assert server.status() == 200


def test_names_behind_a_body_in_pieces_are_no_headers(server: Server) -> None:
    with server.clients(1, IN_PIECES + b"0\r\nX-Late: 1\r\n\r\n" + IN_PIECES + b"0\r\n\r\n") as (client,):
        answers = _until_closed_or(client, lambda read: read.count(b"\r\n\r\n2") == 2)
    assert answers.count(b"HTTP/1.1 200 OK") == 2


def test_names_behind_a_body_do_not_go_on_for_ever(server: Server) -> None:
    with server.clients(1, IN_PIECES + b"0\r\nX-Late: ") as (client,), pytest.raises(ConnectionError):
        for _ in range(200):
            client.sendall(b"v" * HEAD_MAX_BYTES)
    assert server.status() == 200


def test_a_long_head_behind_a_request_does_not_answer_that_request(server: Server) -> None:
    asked = b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n"
    with server.clients(1, asked) as (client,):
        assert server.arrived.wait(WITHIN_SECONDS)
        with suppress(ConnectionError):
            client.sendall(b"GET /")
            for _ in range(8):
                client.sendall(b"a" * HEAD_MAX_BYTES)
        assert _until_closed_or(client, lambda _: False) == b""


def test_a_large_body_and_the_next_request_in_one_piece_are_both_answered(server: Server) -> None:
    size = 3 * HEAD_MAX_BYTES
    posted = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size
    with server.clients(1, posted + HALF_A_HEAD) as (client,):
        client.sendall(b"End: 1\r\n\r\n")
        answers = _until_closed_or(client, lambda read: read.count(b"HTTP/1.1 200 OK") == 2)
    assert b"431" not in answers


def _until_closed_or(client: socket.socket, is_enough: Callable[[bytes], bool]) -> bytes:
    read = b""
    while not is_enough(read) and (part := _received(client)) is not None:
        read += part
    return read
