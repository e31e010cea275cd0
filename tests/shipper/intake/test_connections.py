"""Clients that are slow, many, broken or cut off."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from errata_shipper.intake import connection, server
from errata_shipper.intake.errors import IntakeUnavailable
from errata_shipper.intake.intake import Intake
from errata_shipper.intake.settings import IntakeSettings

from tests.shipper.intake.listening import Listening, SteppingClock, envelope

EVENT = envelope(("event", b'{"message":"a"}'))
HEAD = b"POST /api/1/envelope/ HTTP/1.1\r\nHost: localhost\r\n"
REQUEST = HEAD + b"Content-Length: %d\r\n\r\n" % len(EVENT) + EVENT


def answer_of(client: socket.socket) -> bytes:
    """The first answer, whole."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += client.recv(65536) or pytest.fail(f"closed after {received!r}")
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    while len(body) < length:
        body += client.recv(65536) or pytest.fail("closed within the body")
    return head


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_connection_serves_one_request_after_the_other(intake: Listening) -> None:
    with intake.connect() as client:
        for _ in range(3):
            client.sendall(REQUEST)
            assert answer_of(client).startswith(b"HTTP/1.1 200 OK")
    assert len(intake.lines()) == 3


def test_bodies_come_in_chunks_of_unknown_number(intake: Listening) -> None:
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in EVENT) + b"0\r\n\r\n"
    with intake.connect() as client:
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
        assert b" 200 " in answer_of(client)
    assert intake.lines()[0]["payload"] == {"message": "a"}


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(intake: Listening) -> None:
    with intake.connect() as client:
        client.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(EVENT))
        assert client.recv(100).startswith(b"HTTP/1.1 100")
        client.sendall(EVENT)
        assert b" 200 " in answer_of(client)
    with intake.connect() as client:
        client.sendall(HEAD + b"Origin: https://evil\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
        assert b" 403 " in answer_of(client)


def test_a_client_that_is_cut_off_within_its_body_writes_nothing(intake: Listening) -> None:
    with intake.connect() as client:
        client.sendall(REQUEST[:-5])
    with intake.connect() as client:
        client.sendall(REQUEST)
        answer_of(client)
    assert len(intake.lines()) == 1


@pytest.mark.parametrize(
    "sent", [b"nonsense\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", HEAD + b"X: " + b"y" * 200_000 + b"\r\n\r\n"]
)
def test_what_is_not_http_is_answered_and_cut_off(sent: bytes, intake: Listening) -> None:
    with intake.connect() as client:
        client.sendall(sent)
        received = client.recv(65536)
        assert received.startswith((b"HTTP/1.1 400", b"HTTP/1.1 431"))
        assert b"Connection: close" in received


def test_a_body_that_does_not_come_is_waited_for_in_bounds(
    intake: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BODY_SECONDS", 0.05)
    with intake.connect() as client:
        client.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
        assert b" 408 " in answer_of(client)
        assert client.recv(1) == b""


def test_a_client_sees_that_its_body_is_too_large_although_it_sends_it_whole(intake: Listening) -> None:
    intake.start(max_body_bytes=1000)
    body = bytes(3000)
    with intake.connect() as client:
        client.sendall(HEAD + b"Content-Length: 3000\r\n\r\n" + body)
        assert b" 413 " in answer_of(client)
        client.sendall(REQUEST)
        assert b" 200 " in answer_of(client)
    with intake.connect() as client:
        client.sendall(HEAD + b"Content-Length: 999999999\r\n\r\n" + bytes(5000))
        assert b" 413 " in answer_of(client)
        assert client.recv(1) == b""


def test_large_bodies_wait_for_each_other(intake: Listening) -> None:
    intake.start(max_body_bytes=200_000)
    body = envelope(("event", b'{"message":"' + b"x" * 150_000 + b'"}'))
    request = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    clients = [intake.connect() for _ in range(8)]
    for client in clients:
        client.sendall(request[:-5])
    wait_until(lambda: intake.intake.unanswered_count == len(clients))
    assert intake.send_envelope(EVENT).status == 200
    for client in clients[:3]:
        client.close()
    for client in clients[3:]:
        client.sendall(request[-5:])
    for client in clients[3:]:
        assert b" 200 " in answer_of(client)
        client.close()


def test_hundreds_of_clients_that_never_finish_keep_nobody_out(
    intake: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 100)
    monkeypatch.setattr(server, "PATIENCE_SECONDS", 0.05)
    hanging = [intake.connect() for _ in range(300)]
    for number, client in enumerate(hanging[:250]):
        client.sendall(HEAD[: number % len(HEAD)])
    assert intake.send_envelope(EVENT).status == 200
    for client in hanging:
        client.close()


LENGTH = b"Content-Length: 150000\r\n\r\n"
STALLS = {
    "before the head": b"",
    "in the head": HEAD[:-10],
    "after the head": HEAD + LENGTH,
    "in the body": HEAD + LENGTH + b"{" * 1000,
    "in a large body": HEAD + LENGTH + b"{" * 149_000,
    "in chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
    "asked to go on": HEAD + b"Expect: 100-continue\r\n" + LENGTH,
    "refused": HEAD.replace(b"localhost", b"evil.example") + LENGTH + b"{",
    "after a request": REQUEST,
    "in the next head": REQUEST + HEAD[:20],
}


@pytest.mark.parametrize("is_drip_fed", [False, True], ids=["stalled", "drip-fed"])
@pytest.mark.parametrize("sent", STALLS.values(), ids=STALLS)
def test_clients_that_stall_anywhere_keep_nobody_out(
    intake: Listening, monkeypatch: pytest.MonkeyPatch, sent: bytes, is_drip_fed: bool
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 50)
    intake.start(max_body_bytes=200_000)
    hanging = [intake.connect() for _ in range(60)]
    for client in hanging:
        client.sendall(sent)
    ended = threading.Event()

    def feed() -> None:
        while not ended.wait(0.02):
            for client in hanging:
                with suppress(OSError):
                    client.sendall(b"1")

    feeding = threading.Thread(target=feed)
    if is_drip_fed:
        feeding.start()
    honest = envelope(("event", b'{"message":"' + b"x" * 150_000 + b'"}'))
    for _ in range(3):
        began = time.monotonic()
        assert intake.send_envelope(EVENT).status == 200
        assert intake.send_envelope(honest).status == 200
        assert time.monotonic() - began < 2
    ended.set()
    if is_drip_fed:
        feeding.join()
    for client in hanging:
        client.close()


def test_of_two_bodies_the_faster_one_stays(intake: Listening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 3)
    with intake.connect() as stalled, intake.connect() as fast, intake.connect() as idle:
        stalled.sendall(HEAD + LENGTH + b"{")
        fast.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (1 << 20))
        for _ in range(10):
            fast.sendall(bytes(100_000))
            time.sleep(0.05)
        # Three are as many as there may be: one goes. With a fourth another one might.
        with suppress(ConnectionError):
            assert stalled.recv(1) == b""
        idle.sendall(REQUEST)
        assert b" 200 " in answer_of(idle)
        fast.sendall(bytes((1 << 20) - 1_000_000))
        assert b" 400 " in answer_of(fast)
        with intake.connect() as newcomer:
            newcomer.sendall(REQUEST)
            assert b" 200 " in answer_of(newcomer)


def test_a_body_that_stopped_after_much_goes_before_one_that_comes_slowly(
    intake: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 2)
    monkeypatch.setattr(connection, "CREDIT_BYTES", 4 << 10)
    with intake.connect() as slow, intake.connect() as stalled:
        slow.sendall(HEAD + b"Content-Length: 60000\r\n\r\n")
        stalled.sendall(HEAD + LENGTH + b"{" * 149_000)
        for _ in range(40):
            slow.sendall(bytes(1_000))
            time.sleep(0.02)
        assert intake.send_envelope(EVENT).status == 200
        with suppress(ConnectionError):
            assert stalled.recv(1) == b""
        slow.sendall(bytes(20_000))
        assert b" 400 " in answer_of(slow)


def test_more_clients_at_once_than_there_may_be_are_all_answered(
    intake: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 50)
    clients = [intake.connect() for _ in range(200)]
    for client in clients:
        client.sendall(REQUEST)
    for client in clients:
        assert b" 200 " in answer_of(client)
        client.close()
    assert len(intake.lines()) == 200


def test_a_stop_answers_what_is_here_and_ends_idle_connections(
    intake: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle, late, hanging = intake.connect(), intake.connect(), intake.connect()
    idle.sendall(REQUEST)
    answer_of(idle)
    late.sendall(REQUEST[:-5])
    hanging.sendall(HEAD + b"Content-Length: 99\r\n\r\n{")
    monkeypatch.setattr(server, "STOP_SECONDS", 0.5)
    wait_until(lambda: intake.intake.unanswered_count == 2)
    stopping = threading.Thread(target=intake.stop)
    stopping.start()
    assert idle.recv(1) == b""
    late.sendall(REQUEST[-5:])
    assert b"Connection: close" in answer_of(late)
    stopping.join()
    assert hanging.recv(1) == b""
    for client in (idle, late, hanging):
        client.close()
    assert len(intake.lines()) == 2


def test_a_port_that_is_taken_is_named_with_what_to_do(intake: Listening) -> None:
    settings = IntakeSettings(port=intake.port)
    second = Intake(settings, intake.storage_path, "errata_app_x", SteppingClock())
    with pytest.raises(IntakeUnavailable) as raised, second.running():
        pass
    assert str(raised.value) == (
        f"errata.intake.listen: 127.0.0.1:{intake.port}: Address already in use; "
        "stop the program using this port, or choose another port"
    )
    assert raised.value.exit_code == 2
