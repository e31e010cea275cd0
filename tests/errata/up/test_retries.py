"""What ends while the service starts: tried again, unless no retry mends it."""

import os
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from errata.endings import FINAL_EXIT_CODE
from errata.up.child import Child
from errata.up.data_directory import DataDirectory
from errata.up.restarts import read_restarts
from errata.up.silence import Silence
from errata.up.supervisor import StartFailed, Supervisor
from tests.errata.up.test_up import ROOT, Running, running

RUNS = "touch {up}; exec sleep 600"


class Parts:
    """Stands for the environment: each part is a shell command, up once its file is there."""

    base_url = warehouse_address = "http://127.0.0.1:9"
    dagster_url = ""
    sends_nothing = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commands = {name: RUNS.format(up=self.up(name)) for name in ("warehouse", "web")}
        self.commands["migration"] = "exit 0"

    def up(self, name: str) -> Path:
        return self.folder / f"{name}.up"

    def fails_at_first(self, name: str, times: int, how: str) -> None:
        """`how` ends the part so many times."""
        count = shlex.quote(str(self.folder / f"{name}.count"))
        begins = f'echo >> {count}; if [ "$(wc -l < {count})" -le {times} ]; then {how}; fi; '
        self.commands[name] = begins + self.commands[name]

    def child(self, name: str) -> Child:
        is_up = self.up(name).exists
        silence = Silence(is_up) if name != "migration" else None
        return Child(
            name, ["sh", "-c", self.commands[name]], {}, self.folder / f"{name}.log", silence=silence
        )

    def pipelines(self) -> Iterator[Child]:
        return iter(())


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    return Parts(tmp_path)


class Start:
    """`errata up` of these parts, stopped when it says `until`."""

    def __init__(self, parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
        directory = DataDirectory(parts.folder / "data")
        directory.create()
        self.said: list[str] = []
        self.pauses: list[float] = []
        self.until, self.times = "Errata is ready", 1
        self.supervisor = Supervisor(directory, parts)  # type: ignore[arg-type]
        monkeypatch.setattr(self.supervisor, "warehouse_is_ready", parts.up("warehouse").exists)
        monkeypatch.setattr(self.supervisor, "web_is_ready", parts.up("web").exists)
        monkeypatch.setattr("errata.up.supervisor.say", self._hear)
        plan_restart = Child.plan_restart

        def plan_at_once(child: Child) -> float:
            """Pauses a hundredth as long."""
            self.pauses.append(plan_restart(child))
            child.restart_at = child.started_at + 0.02
            return self.pauses[-1]

        monkeypatch.setattr(Child, "plan_restart", plan_at_once)

    def run(self, until: str = "Errata is ready", times: int = 1) -> None:
        self.until, self.times = until, times
        guard = threading.Timer(25, self.supervisor.stopping.set)
        guard.start()
        try:
            assert self.supervisor.supervise() == 0
            assert guard.is_alive(), self.said
        finally:
            guard.cancel()

    def _hear(self, sentence: str) -> None:
        self.said.append(sentence)
        if sum(self.until in said for said in self.said) >= self.times:
            self.supervisor.stopping.set()


@pytest.fixture
def start(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> Start:
    return Start(parts, monkeypatch)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("kill -9 $$", "killed by SIGKILL"),
        ("kill -15 $$", "killed by SIGTERM"),
        ("echo OSError: busy; exit 1", "exited with code 1: OSError: busy"),
        ("exit 3", "exited with code 3"),
    ],
)
@pytest.mark.parametrize("name", ["warehouse", "migration", "web"])
def test_a_part_that_ends_while_it_starts_is_started_again(
    parts: Parts, start: Start, name: str, how: str, told: str
) -> None:
    parts.fails_at_first(name, 3, how)
    start.run()
    restarted = [f"The {name} {told}; restarting it in {pause:g} s" for pause in (0.5, 1, 2)]
    assert start.said[:4] == [*restarted, "Errata is ready at http://127.0.0.1:9"]


@pytest.mark.slow
def test_a_part_that_always_ends_is_retried_with_growing_pauses_and_never_called_ready(
    parts: Parts, start: Start
) -> None:
    parts.fails_at_first("migration", 1000, "echo errata: The disk is full.; exit 1")
    start.run(until="restarting it", times=12)
    assert start.pauses == [0.5, 1, 2] + [4] * 9
    assert {line.partition("; ")[0] for line in start.said} == {
        "The migration exited with code 1: The disk is full"
    }
    health = read_restarts(parts.folder / "data" / "run" / "restarts.json")
    assert [(one.part, one.count) for one in health] == [("migration", 12)]


@pytest.mark.parametrize("name", ["warehouse", "migration", "web"])
def test_what_no_retry_mends_ends_the_start_with_the_sentence_that_helps(
    parts: Parts, start: Start, name: str
) -> None:
    words = "Unknown settings: ERRATA_FOO. Did you mean ERRATA_BAR?"
    parts.fails_at_first(name, 1000, f"echo 'errata: {words}' >&2; exit {FINAL_EXIT_CODE}")
    with pytest.raises(StartFailed) as raised:
        start.run()
    assert str(raised.value) == f"The {name} did not start: {words}. Its log: {parts.folder / name}.log"
    assert raised.value.is_final and start.said == []


def test_a_part_that_worked_is_always_started_again(parts: Parts, start: Start) -> None:
    parts.commands["web"] = f"touch {parts.up('web')}; sleep 0.7; exit {FINAL_EXIT_CODE}"
    start.run(until="restarting it")
    assert start.said[-1] == f"The web exited with code {FINAL_EXIT_CODE}; restarting it in 0.5 s"


def test_a_migration_that_ends_just_after_it_was_asked_about_is_not_started_again(
    parts: Parts, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_done, asked = Child.is_done.fget, list[bool]()  # type: ignore[attr-defined]

    def ends_meanwhile(child: Child) -> bool:
        if child.name == "migration" and not asked:
            asked.append(True)
            assert child.process is not None and child.process.wait(20) == 0
            return False
        return bool(is_done(child))

    monkeypatch.setattr(Child, "is_done", property(ends_meanwhile))
    start.run()
    assert asked and start.said[0] == "Errata is ready at http://127.0.0.1:9"


def test_a_warehouse_that_ends_while_the_web_starts_is_started_again(parts: Parts, start: Start) -> None:
    parts.commands["warehouse"] = f"touch {parts.up('warehouse')}; sleep 0.5; exit 1"
    parts.commands["web"] = "sleep 600"
    start.run(until="The warehouse exited with code 1; restarting it in 1 s")


def test_a_process_that_cannot_be_made_is_tried_again(
    parts: Parts, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    popen, failures = subprocess.Popen, [OSError(11, "Resource temporarily unavailable")] * 3

    def refused(*arguments: Any, **options: Any) -> "subprocess.Popen[bytes]":
        if failures:
            raise failures.pop()
        return popen(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", refused)
    start.run()
    assert (
        "The warehouse did not start: Resource temporarily unavailable; restarting it in 0.5 s" in start.said
    )


def never(child: Child) -> float:
    child.restart_at = 1e12
    return 1.0


@pytest.mark.parametrize("state", ["pausing", "silent", "migrating", "asking", "about to ask"])
def test_a_signal_ends_a_start_at_once(
    parts: Parts, start: Start, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if state == "pausing":
        parts.commands["warehouse"] = "exit 1"
        monkeypatch.setattr(Child, "plan_restart", never)
    elif state == "silent":
        parts.commands["warehouse"] = "trap '' TERM; sleep 600"
    elif state == "migrating":
        parts.commands["migration"] = "sleep 600"
    else:
        if state == "about to ask":
            begin = Child.start

            def begin_slowly(child: Child) -> None:
                begin(child)
                time.sleep(1)

            monkeypatch.setattr(Child, "start", begin_slowly)
        monkeypatch.setattr(start.supervisor, "warehouse_is_ready", lambda: time.sleep(60))
    sent_at: list[float] = []

    def interrupt() -> None:
        sent_at.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.6, interrupt).start()
    with start.supervisor.signals():
        assert start.supervisor.supervise() == 0
    # One that ignores SIGTERM is killed after two seconds.
    assert time.monotonic() - sent_at[0] < 3


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield int(other.getsockname()[1])


def ended(data: Path, *options: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "errata", "up", "--data", str(data), *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize("option", ["--port", "--warehouse-port"])
def test_a_port_that_is_taken_is_named(tmp_path: Path, taken_port: int, option: str) -> None:
    done = ended(tmp_path / "data", option, str(taken_port))
    assert done.returncode == FINAL_EXIT_CODE
    assert f"127.0.0.1:{taken_port}: another program is using the port. Stop it, or" in done.stderr


@pytest.mark.parametrize(
    ("certificate", "said"), [(None, "No such file"), ("not a certificate", "not PEM"), ("", "not PEM")]
)
def test_a_certificate_that_cannot_be_used_is_named(
    tmp_path: Path, certificate: str | None, said: str
) -> None:
    path = tmp_path / "cert.pem"
    if certificate is not None:
        path.write_text(certificate)
    done = ended(tmp_path / "data", "--tls-cert", str(path), "--tls-key", str(path))
    assert done.returncode == FINAL_EXIT_CODE
    assert str(path) in done.stderr and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "name",
    ["credentials.json", "secret", "run/warehouse-passwords.json", "run/warehouse-port", "run/up.lock"],
)
def test_a_file_of_the_directory_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir(parents=True)
    done = ended(tmp_path)
    assert done.returncode == 1
    assert str(tmp_path / name) in done.stderr and "Is a directory" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.timeout(200)
@pytest.mark.slow
def test_causes_that_a_part_finds_end_the_start_in_its_own_words(tmp_path: Path) -> None:
    with running(tmp_path):
        pass
    # A setting of the web alone, and one of all programs.
    for environ, said in (
        ({"ERRATA_API_BODY_MAX_BYTES": "many"}, "ERRATA_API_BODY_MAX_BYTES: "),
        ({"ERRATA_BASE_URI": "x"}, "Unknown settings: ERRATA_BASE_URI. Did you mean ERRATA_BASE_URL?"),
    ):
        done = ended(tmp_path, "--no-pipelines", **environ)
        assert done.returncode == FINAL_EXIT_CODE and said in done.stderr.splitlines()[-1], done.stderr
    # A setting of the pipelines.
    done = ended(tmp_path, ERRATA_PIPELINES_FOO="1")
    assert done.returncode == FINAL_EXIT_CODE and "ERRATA_PIPELINES_FOO" in done.stderr, done.stderr
    with sqlite3.connect(tmp_path / "state.db") as connection:
        (before,) = connection.execute("select version_num from alembic_version").fetchone()
        connection.execute("update alembic_version set version_num = '9000'")
    done = ended(tmp_path, "--no-pipelines")
    assert done.returncode == FINAL_EXIT_CODE
    assert "The migration did not start: The account store is at revision" in done.stderr
    with connection:
        connection.execute("update alembic_version set version_num = ?", (before,))
    connection.close()
    (tmp_path / "state.db").write_bytes(b"garbage" * 4096)
    done = ended(tmp_path, "--no-pipelines")
    assert done.returncode == FINAL_EXIT_CODE
    assert "The migration did not start: The account store is damaged" in done.stderr
    assert "restore a backup" in done.stderr


@pytest.mark.timeout(300)
@pytest.mark.slow
@pytest.mark.parametrize("word", ["listener", "migrate", "uvicorn"])
def test_a_part_that_is_killed_while_it_starts_gets_ready_in_the_end(tmp_path: Path, word: str) -> None:
    service = Running(tmp_path)
    try:
        for number in range(3):
            killed: set[int] = set()
            deadline = time.monotonic() + 60
            while not killed:
                assert time.monotonic() < deadline and service.process.poll() is None, service.said
                for child in service.children():
                    with suppress(psutil.Error):
                        if word in " ".join(child.cmdline()):
                            child.kill()
                            killed.add(child.pid)
                time.sleep(0.01)
            service.wait_until_said("killed by SIGKILL; restarting it", number + 1)
        service.wait_until_said("ready at")
        assert service.health()["status"] == "ok"
    finally:
        service.stop()
