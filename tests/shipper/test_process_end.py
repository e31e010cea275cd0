"""A shipper that is stopped or killed."""

import random
import signal
import threading
import time

import pytest

from tests.shipper.ingest_server import IngestServer
from tests.shipper.installation import Installation, wait_until


def lines_numbered(since: int, until: int) -> list[bytes]:
    return [b'{"n": %d}' % number for number in range(since, until)]


@pytest.mark.slow
def test_a_shipper_killed_at_any_moment_loses_nothing(
    installation: Installation, server: IngestServer
) -> None:
    chance = random.Random(7)
    written: list[bytes] = []
    for is_first in (True, *[False] * 7):
        process = installation.record()
        for _ in range(chance.randrange(3, 30)):
            new = lines_numbered(len(written), len(written) + chance.randrange(1, 60))
            with installation.log.open("ab") as file:
                file.write(b"".join(line + b"\n" for line in new))
            written += new
            time.sleep(chance.random() * 0.03)
        if is_first:
            wait_until(lambda: bool(server.stored))
        process.kill()
        process.communicate()
    process = installation.record()
    wait_until(lambda: set(server.stored) == set(written))
    process.terminate()
    assert process.wait(10) == 0
    first_arrivals = list(dict.fromkeys(server.stored))
    assert first_arrivals == written


def test_a_shipper_killed_between_storage_and_answer_repeats_the_same_batch(
    installation: Installation, server: IngestServer
) -> None:
    installation.log.write_bytes(b'{"n": 1}\n{"n": 2}\n')
    process = installation.record()
    server.on_stored = process.kill
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    server.on_stored = lambda: None
    with installation.log.open("ab") as file:
        file.write(b'{"n": 3}\n')
    process = installation.record()
    wait_until(lambda: len(server.requests) == 3)
    process.terminate()
    assert process.wait(10) == 0
    assert server.requests[0].batch_id == server.requests[1].batch_id
    assert server.requests[0].lines == server.requests[1].lines
    assert server.requests[2].lines == [b'{"n": 3}']


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_flushes_and_ends_well(
    installation: Installation, server: IngestServer, number: signal.Signals
) -> None:
    installation.configure(flushInterval="1h")
    installation.log.write_bytes(b'{"n": 1}\n{"n": 2}\nhalf')
    process = installation.record()
    assert process.stderr is not None
    while "Connected to errata" not in process.stderr.readline():
        pass
    assert server.stored == []
    process.send_signal(number)
    _, messages = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "Batch sent: 2 events" in messages
    assert server.stored == [b'{"n": 1}', b'{"n": 2}']


def test_a_stop_does_not_wait_for_a_server_that_hangs(
    installation: Installation, server: IngestServer
) -> None:
    arrived, may_answer = threading.Event(), threading.Event()

    def hang() -> None:
        arrived.set()
        may_answer.wait(20)

    server.on_stored = hang
    installation.configure(timeout="1s")
    installation.log.write_bytes(b'{"n": 1}\n')
    process = installation.record()
    assert arrived.wait(20)
    process.terminate()
    assert process.wait(10) == 0
    may_answer.set()
