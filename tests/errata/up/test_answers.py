"""An answer that is no HTTP, ends early or stalls is no answer, and raises nothing in the supervisor."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from errata.up.answers import answers, checks, document

HEALTH = b'{"checks": {"warehouse": "ok"}}'


@contextmanager
def served(reply: bytes, stays_open: bool = False) -> Iterator[str]:
    """An address whose server sends `reply` to everyone, whatever they ask."""
    done = threading.Event()

    def serve(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(4096)
                connection.sendall(reply)
                if stays_open:
                    done.wait(10)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        done.set()
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(
    ("reply", "stays_open"),
    [
        pytest.param(b"garbage\r\n\r\n", False, id="no status line"),
        pytest.param(b"", False, id="closed at once"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", False, id="cut short"),
        pytest.param(b"HTTP/1.1 503 Away\r\nContent-Length: 99\r\n\r\n{", False, id="503 cut short"),
        pytest.param(b"HTTP/1.1 503 Away\r\nContent-Length: 99\r\n\r\n{", True, id="503 stalls"),
        pytest.param(b'HTTP/1.1 200 OK\r\n\r\n{"checks": [1]}', False, id="other content"),
    ],
)
def test_a_bad_answer_is_none(reply: bytes, stays_open: bool) -> None:
    with served(reply, stays_open) as address:
        assert checks(address, within_seconds=0.3) == {}


def test_a_garbage_status_line_is_no_answer() -> None:
    with served(b"garbage\r\n\r\n") as address:
        assert not answers(address)


def test_a_service_that_is_not_well_is_read_in_full() -> None:
    head = f"HTTP/1.1 503 Away\r\nContent-Length: {len(HEALTH)}\r\n\r\n".encode()
    with served(head + HEALTH) as address:
        assert document(address) == {"checks": {"warehouse": "ok"}}
