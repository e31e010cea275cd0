import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from errata_shipper.client import ServerClient
from errata_shipper.errors import ServerUnreachable

from tests.cases import each
from tests.shipper.ingest_server import API_KEY, APP_KEY


def client_of(base_url: str, timeout_seconds: float = 5) -> ServerClient:
    return ServerClient(base_url, API_KEY, APP_KEY, timeout_seconds)


@contextmanager
def answering_with(pieces: list[bytes], pause_seconds: float) -> Iterator[str]:
    """A server that sends an answer piece by piece to whoever connects."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                for piece in pieces:
                    try:
                        connection.sendall(piece)
                    except OSError:
                        return
                    time.sleep(pause_seconds)

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def explanation_of(client: ServerClient) -> str:
    with pytest.raises(ServerUnreachable) as caught:
        client.verify_key()
    client.close()
    return str(caught.value)


def test_an_answer_that_does_not_come_in_time_is_a_timeout() -> None:
    with answering_with([b""], pause_seconds=0.4) as base_url:
        explanation = explanation_of(client_of(base_url, timeout_seconds=0.2))
    assert explanation.startswith("Connection timeout")
    assert "raise timeout" in explanation


def test_an_answer_that_trickles_is_cut_off_at_the_timeout() -> None:
    pieces = [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", *[b"x"] * 12]
    started = time.monotonic()
    with answering_with(pieces, pause_seconds=0.06) as base_url:
        explanation = explanation_of(client_of(base_url, timeout_seconds=0.2))
        assert time.monotonic() - started < 0.6
    assert explanation.startswith("Connection timeout")


@each(
    "answer",
    [b"", b"not http\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
    ids=["closed", "not HTTP", "torn"],
)
def test_an_answer_that_breaks_off_is_no_answer(answer: bytes) -> None:
    with answering_with([answer], pause_seconds=0) as base_url:
        assert explanation_of(client_of(base_url)).startswith("Connection failed")


def test_an_address_that_does_not_exist_is_named() -> None:
    explanation = explanation_of(client_of("https://errata.invalid"))
    assert explanation.startswith("Host name not found (errata.invalid)")


def test_a_moment_to_try_again_is_meant_by_the_clock_of_the_server() -> None:
    answer = (
        b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\n"
        b"Retry-After: Sat, 21 Nov 2026 10:01:30 GMT\r\n\r\n{}"
    )
    with answering_with([answer], pause_seconds=0) as base_url:
        client = client_of(base_url)
        assert client.verify_key().retry_after == 90
        client.close()
