"""What happens between the host and the service."""

import json
from collections.abc import Callable
from random import Random

from tests.flow.faults.network import PASS, Request, Treatment, answer_of
from tests.flow.faults.run import Run

# As many as a host meets before the network is well again.
MOST_BROKEN = 4
MOST_LINES = 7
PAGE = b"<html><body>Sign in to use this network</body></html>"


def server_down(run: Run) -> None:
    """Nothing listens, again and again."""
    network = run.network
    run.begin()
    for _ in run.rounds(4):
        network.disconnect()
        run.application.write()
        run.pause()
        network.connect()
        run.application.write()


def rate_limited(run: Run) -> None:
    """429, with a Retry-After in seconds or none at all."""

    def treatment(chance: Random) -> Treatment:
        headers = chance.choice([["Retry-After: 1"], ["Retry-After: 1"], ["Retry-After: 0"], []])
        return _instead("429 Too Many Requests", "rate_limited", *headers)

    _break(run, treatment)
    _write(run)


def too_large(run: Run) -> None:
    """413 for more than a few lines, in the service's words or in those of something before it."""
    run.host.configure(compress=False)

    def treat(request: Request) -> Treatment:
        if request.body.count(b"\n") <= MOST_LINES:
            return PASS
        if request.number % 2:
            return _instead("413 Payload Too Large", "too_large")
        return Treatment(answer_of("413 Payload Too Large", PAGE, content_type="text/html"), False)

    run.network.treat = treat
    _write(run)


def slow(run: Run) -> None:
    """The answer comes after the shipper's patience has ended; the batch is stored."""
    run.host.configure(timeout="1s")
    _break(run, lambda chance: Treatment(answer_delay_seconds=chance.uniform(0.5, 2)))
    _write(run)


def torn_answer(run: Run) -> None:
    """The connection breaks within the answer; the batch is stored."""
    _break(run, lambda chance: Treatment(answer_share=chance.uniform(0.05, 0.98)))
    _write(run)


def torn_request(run: Run) -> None:
    """The connection breaks before the service has the whole request."""
    _break(run, lambda chance: Treatment(request_share=chance.uniform(0.05, 0.98)))
    _write(run)


def lost_answer(run: Run) -> None:
    """The batch is stored, its answer never arrives; or the shipper is killed as it does."""

    def treatment(chance: Random) -> Treatment:
        if chance.random() < 0.5:
            return Treatment(answer_share=0.0)
        return Treatment(on_answer=lambda: run.host.kill_and_start(chance.uniform(0, 0.3)))

    _break(run, treatment)
    _write(run)


def false_answer(run: Run) -> None:
    """200 from something that is not the service, or about something else."""

    def treatment(chance: Random) -> Treatment:
        body, content_type = chance.choice(
            [
                (PAGE, "text/html"),
                (b"", "text/plain"),
                (b"{}", "application/json"),
                (b'{"batch_id": "another", "accepted": 1, "rejected": []}', "application/json"),
                (b'{"accepted": 100000, "rejected": []}', "application/json"),
            ]
        )
        return Treatment(answer_of("200 OK", body, content_type=content_type), chance.random() < 0.3)

    _break(run, treatment)
    _write(run)


def wrong_encoding(run: Run) -> None:
    """415 for zstd, for gzip too in some runs."""
    refused = run.chance.choice([("zstd",), ("zstd", "gzip")])

    def treat(request: Request) -> Treatment:
        if request.header("content-encoding") in refused:
            return _instead("415 Unsupported Media Type", "unsupported_encoding")
        return PASS

    run.network.treat = treat
    _write(run)


def _write(run: Run) -> None:
    run.begin()
    for _ in run.rounds():
        run.application.write()


def _break(run: Run, treatment_of: Callable[[Random], Treatment]) -> None:
    """Let that happen to a few of the deliveries."""
    chance = Random(f"{run.name} network")

    def treat(request: Request) -> Treatment:
        is_broken = run.network.broken_count < MOST_BROKEN and chance.random() < 0.5
        return treatment_of(chance) if is_broken else PASS

    run.network.treat = treat


def _instead(status: str, code: str, *headers: str) -> Treatment:
    """That error in place of the service's answer."""
    body = json.dumps({"error": code, "message": "made to fail", "request_id": "0"}).encode()
    return Treatment(answer_of(status, body, *headers), is_forwarded=False)
