"""What happens to the shipper and to what it remembers."""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from bench.faults.run import Run, WentWrong

HELD = 6
REFUSED_WITHIN_SECONDS = 30


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
        with run.spared():
            run.stop()
            run.application.write()
            run.host.start()


def key_rotation(run: Run) -> None:
    """The API key is replaced, so that the old one is refused, and the application key too."""
    run.begin()
    for number in run.rounds(6):
        run.application.write()
        if number % 2:
            run.api_key = run.tenants.new_api_key(run.tenant)
            app_key = run.tenants.new_app_key(run.tenant)
            run.application.write()
            run.pause()
            run.host.configure(apiKey=run.api_key, appKey=app_key)
            with run.spared():
                run.stop()
                run.host.start()


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
