"""What happens to the shipper and to what it remembers."""

import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from tests.flow.faults.application import Line
from tests.flow.faults.network import PASS, Request, Treatment, answer_of
from tests.flow.faults.run import Run, WentWrong

HELD = 6
REFUSED_WITHIN_SECONDS = 120


def two_shippers(run: Run) -> None:
    """A second shipper beside the first says so and ends; of two started at once one remains."""
    run.begin()
    for _ in run.rounds(5):
        run.application.write()
        with run.spared():
            first = run.host.process
            if run.chance.random() < 0.5:
                run.host.kill()
                first = run.host.run("--record")
            run.host.process = _remaining(run, [first, run.host.run("--record")])
        run.application.write()


def tracker_removed(run: Run) -> None:
    """Everything is delivered again, and no number moves."""
    run.begin()
    for number in run.rounds():
        run.application.write()
        if number % 3 == 2:
            _tracker(run).unlink(missing_ok=True)


def tracker_damaged(run: Run) -> None:
    """Torn, garbage, of the future, or older than what was delivered since."""
    run.begin()
    before = b""
    for number in run.rounds():
        run.application.write()
        if number % 3 != 2:
            continue
        with run.spared():
            run.host.kill()
            content = _tracker(run).read_bytes() if _tracker(run).exists() else b""
            damaged = [
                content[: len(content) // 2],
                b"",
                b"\0" * 512,
                b'{"version": 99, "files": []}',
                before,
            ]
            _tracker(run).write_bytes(run.chance.choice(damaged))
            run.host.start()
        before = content


def stopped(run: Run) -> None:
    """Asked to stop, it ends in seconds with 0, whatever the service does meanwhile."""
    run.begin()
    for _ in run.rounds():
        run.application.write()
        _start_again(run)


def rejected_lines(run: Run) -> None:
    """Lines the server never takes, and some that it refuses until it is mended and they are sent again."""
    run.host.configure(compress=False)
    is_mended = threading.Event()
    refusal = answer_of("400 Bad Request", b'{"error": "invalid_batch", "message": "poison"}')

    def treat(request: Request) -> Treatment:
        is_refused = b"poison" in request.body and not is_mended.is_set()
        return Treatment(refusal, is_forwarded=False) if is_refused else PASS

    run.network.treat = treat
    run.begin()
    poison = []
    for number in run.rounds(6):
        with run.application.opened(run.application.today) as log:
            log.write()
            line = run.application.new_line()
            poison.append(Line(line.content.replace(b"broken", b"poison"), line.event_id))
            log.write_line(poison[-1])
            log.write_line(Line(b'{"not": "an item %d"}' % number, ""))
            log.write_line(Line(b"not json %d" % number, ""))
    run.await_stored()
    is_mended.set()
    _retry(run, is_killed=run.chance.random() < 0.5)
    _retry(run, is_killed=False)
    run.await_stored(poison)


def key_rotation(run: Run) -> None:
    """The API key is replaced, so that the old one is refused, and the application key too."""
    run.be_alone()
    run.begin()
    for number in run.rounds(6):
        run.application.write()
        if number % 2:
            run.rotate_keys()
            run.application.write()
            run.pause()
            run.use_keys()
            # Without any of it the shipper sees that refused keys were replaced.
            match run.chance.randrange(3):
                case 0:
                    run.host.hang_up()
                case 1:
                    _start_again(run)


def _start_again(run: Run) -> None:
    with run.spared():
        run.stop()
        run.application.write()
        run.host.start()


def _retry(run: Run, is_killed: bool) -> None:
    """`--retry-rejected`, beside the shipper."""
    retry = run.host.run("--retry-rejected")
    if is_killed:
        run.pause()
        retry.kill()
    code = retry.wait(REFUSED_WITHIN_SECONDS)
    if code not in (0, -signal.SIGKILL):
        raise WentWrong(f"--retry-rejected ended with {code}")


def _tracker(run: Run) -> Path:
    return run.logs / "tracker.json"


def _remaining(run: Run, both: "Sequence[subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
    """The one that holds the directory, once the other was refused."""
    deadline = time.monotonic() + REFUSED_WITHIN_SECONDS
    while all(shipper.poll() is None for shipper in both):
        if time.monotonic() > deadline:
            raise WentWrong("two shippers hold one directory")
        run.pause(0.1)
    refused, remaining = sorted(both, key=lambda shipper: shipper.poll() is None)
    if refused.returncode != HELD:
        raise WentWrong(f"the shipper beside another one ended with {refused.returncode}")
    return remaining
