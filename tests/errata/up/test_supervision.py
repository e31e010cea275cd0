"""`errata up` keeps answering: what crashes, again and again, and what lives on without a word."""

import errno
import io
import signal
import subprocess
import sys
import time
import urllib.error
from pathlib import Path

import psutil
import pytest

from errata.up.child import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, Child
from errata.up.restarts import Restarts, read_restarts
from errata.up.silence import ASK_EVERY_SECONDS, HUNG_AFTER_SECONDS, READY_WITHIN_SECONDS, Silence
from errata.up.supervisor import say
from tests.errata.up.test_up import ROOT, Running, running

CRASHES = 5
BACK_WITHIN_SECONDS = 30


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def silence_of(self, silence: Silence, seconds: float) -> float:
        """After so many seconds of a supervisor that looks five times a second."""
        for _ in range(int(seconds * 5)):
            self.now += 0.2
            if hung := silence.seconds():
                return hung
        return 0.0


def test_a_part_that_answered_is_hung_after_twenty_silent_seconds_and_a_starting_one_after_sixty() -> None:
    clock, answering = Clock(), [True]
    silence = Silence(lambda: answering[0], clock)
    assert not clock.silence_of(silence, 600)
    answering[0] = False
    assert not clock.silence_of(silence, HUNG_AFTER_SECONDS - ASK_EVERY_SECONDS)
    assert HUNG_AFTER_SECONDS < clock.silence_of(silence, 30) < HUNG_AFTER_SECONDS + 2 * ASK_EVERY_SECONDS
    silence.begin()
    assert not clock.silence_of(silence, READY_WITHIN_SECONDS - 1)
    assert clock.silence_of(silence, 10)


def test_a_supervisor_that_was_held_up_asks_before_it_judges() -> None:
    clock, answering = Clock(), [True]
    silence = Silence(lambda: answering[0], clock)
    assert not clock.silence_of(silence, 10)
    answering[0] = False
    clock.now += 3600
    assert not silence.seconds()
    answering[0] = True
    assert not clock.silence_of(silence, 600)


def test_pauses_between_restarts_stay_within_seconds(tmp_path: Path) -> None:
    child = Child("part", [sys.executable, "-c", ""], {}, tmp_path / "part.log")
    pauses = []
    for _ in range(10):
        child.started_at = time.monotonic()
        child.plan_restart()
        pauses.append(round(child.restart_at - child.started_at, 1))
    assert pauses[0] == FIRST_PAUSE_SECONDS
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_SECONDS


def test_restarts_are_counted_by_part_and_name_the_last_words(tmp_path: Path) -> None:
    log = tmp_path / "warehouse.log"
    log.write_text("".join(f"line {number}\n\n" for number in range(2000)))
    restarts = Restarts(tmp_path / "restarts.json")
    assert read_restarts(tmp_path / "restarts.json") == []
    restarts.note("warehouse", "killed by SIGSEGV", log)
    restarts.note("web", "exited with code 3", tmp_path / "absent.log")
    restarts.note("warehouse", "did not respond for 21 s", log)
    warehouse, web = read_restarts(tmp_path / "restarts.json")
    assert (warehouse.part, warehouse.count, warehouse.reason) == (
        "warehouse",
        2,
        "did not respond for 21 s",
    )
    assert warehouse.last_lines == [f"line {number}" for number in range(1995, 2000)]
    assert (web.count, web.last_lines) == (1, [])
    Restarts(tmp_path / "restarts.json")
    assert read_restarts(tmp_path / "restarts.json") == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_restart_on_a_full_disk_is_written_with_the_next_one(tmp_path: Path) -> None:
    path, log = tmp_path / "restarts.json", tmp_path / "web.log"
    restarts = Restarts(path)
    full = tmp_path / "restarts.json.new"
    full.symlink_to("/dev/full")
    restarts.note("web", "exited with code 3", log)
    assert read_restarts(path) == []
    full.unlink()
    restarts.note("warehouse", "killed by SIGSEGV", log)
    assert [(one.part, one.count) for one in read_restarts(path)] == [("web", 1), ("warehouse", 1)]


def test_an_output_that_takes_nothing_ends_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sys.stdout", Full())
    say("The web exited with code 3; restarting it")


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_a_warehouse_that_crashes_again_and_again_is_back_within_seconds_and_the_cause_is_named(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as service:
        for number in range(CRASHES):
            part(service, "listener").send_signal(signal.SIGSEGV)
            assert seconds_until_restarted(service, "warehouse", number + 1) < BACK_WITHIN_SECONDS
        (restart,) = service.health()["restarts"]
        assert restart["part"] == "warehouse"
        assert restart["reason"] == "killed by SIGSEGV"
        doctor = subprocess.run(
            [sys.executable, "-m", "errata", "doctor", "--data", str(tmp_path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert doctor.returncode == 1
        assert "WRONG restarts: warehouse killed by SIGSEGV at " in doctor.stdout
        assert f"→ Check {tmp_path / 'run' / 'warehouse.log'}" in doctor.stdout


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_what_lives_without_answering_is_ended_and_started_again(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        # Answered once, so that it counts as hung after 20 s.
        time.sleep(ASK_EVERY_SECONDS + 2)
        stopped = [part(service, "listener"), part(service, "uvicorn")]
        for process in stopped:
            process.send_signal(signal.SIGSTOP)
        service.wait_until_said("The warehouse did not respond for ")
        service.wait_until_said("The web did not respond for ")
        assert seconds_until_restarted(service, "warehouse", 1) < BACK_WITHIN_SECONDS
        assert seconds_until_restarted(service, "web", 1) < BACK_WITHIN_SECONDS
        assert not any(process.is_running() for process in stopped)
        reasons = {restart["part"]: restart["reason"] for restart in service.health()["restarts"]}
        assert reasons["warehouse"].startswith("did not respond for ")
        assert reasons["web"].startswith("did not respond for ")


def part(service: Running, word: str) -> psutil.Process:
    return next(child for child in service.children() if word in " ".join(child.cmdline()))


def seconds_until_restarted(service: Running, name: str, count: int) -> float:
    """Until the service is well again and says that it restarted the part so many times."""
    began = time.monotonic()
    while time.monotonic() - began < 2 * BACK_WITHIN_SECONDS:
        try:
            health = service.health()
        except (urllib.error.URLError, OSError):
            health = {"status": "away", "restarts": []}
        counts = {restart["part"]: restart["restart_count"] for restart in health["restarts"]}
        if health["status"] == "ok" and counts.get(name, 0) >= count:
            break
        time.sleep(0.1)
    return time.monotonic() - began
