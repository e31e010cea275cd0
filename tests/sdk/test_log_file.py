import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from errata_sdk.log_file import LogFile

Run = Callable[..., subprocess.CompletedProcess[str]]


def contents(logs: Path) -> bytes:
    (file,) = logs.glob("errata-*.log")
    return file.read_bytes()


MANY_THREADS = """
import sys, threading, errata_sdk, sentry_sdk
errata_sdk.init("errata_app_test", sys.argv[1], auto_enabling_integrations=False)
def work(thread):
    for number in range(40):
        sentry_sdk.capture_message(f"{sys.argv[2]}-{thread}-{number} " + "x" * 20_000)
threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


@pytest.mark.slow
def test_threads_of_several_processes_share_a_file_and_no_line_is_lost(logs: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MANY_THREADS, str(logs), str(process)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdout=subprocess.DEVNULL,
        )
        for process in range(3)
    ]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]
    messages = [json.loads(line)["payload"]["message"].split()[0] for line in contents(logs).splitlines()]
    assert sorted(messages) == sorted(f"{p}-{t}-{n}" for p in range(3) for t in range(4) for n in range(40))


FORKING = """
import os, threading, time
stop = threading.Event()
def busy():
    while not stop.is_set():
        sentry_sdk.capture_message("parent")
thread = threading.Thread(target=busy)
thread.start()
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
children = []
for number in range(8):
    pid = os.fork()
    if pid == 0:
        sentry_sdk.capture_message(f"child-{number}")
        os._exit(0)
    children.append(pid)
for pid in children:
    assert os.waitpid(pid, 0)[1] == 0
stop.set()
thread.join()
"""


@pytest.mark.slow
def test_a_child_forked_while_another_thread_writes_can_write(logs: Path, run_script: Run) -> None:
    run_script(FORKING)
    messages = [json.loads(line)["payload"]["message"] for line in contents(logs).splitlines()]
    assert sorted(m for m in messages if m != "parent") == sorted(f"child-{number}" for number in range(8))


FULL = """
import resource
sentry_sdk.capture_message("before " + "x" * 2000)
size = __import__("os").path.getsize(next(__import__("pathlib").Path(sys.argv[1]).glob("*.log")))
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 700, resource.RLIM_INFINITY))
sentry_sdk.capture_message("torn " + "x" * 2000)
sentry_sdk.capture_message("refused " + "x" * 2000)
sentry_sdk.capture_message("refused too " + "x" * 2000)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
sentry_sdk.capture_message("after")
sentry_sdk.flush()
"""


@pytest.mark.slow
def test_a_disk_that_is_full_costs_only_the_lines_it_refuses(logs: Path, run_script: Run) -> None:
    finished = run_script(FULL)
    before, torn, after, report = contents(logs).split(b"\n")[:-1]
    assert json.loads(before)["payload"]["message"].startswith("before")
    assert len(torn) == 700
    assert json.loads(after)["payload"]["message"] == "after"
    assert json.loads(report)["payload"]["discarded_events"] == [
        {"reason": "log_write_error", "category": "error", "quantity": 3}
    ]
    assert finished.stdout.split() == ["3", "3"]
    torn_said, refused_said, mended_said = finished.stderr.splitlines()
    assert "a line was only partially written" in torn_said
    assert "File too large" in refused_said
    assert "writing log lines works again; events lost: 3" in mended_said


NO_SPACE = """
import datetime, pathlib
today = datetime.datetime.now(datetime.UTC)
(pathlib.Path(sys.argv[1]) / f"errata-{today:%Y-%m-%d}.log").symlink_to("/dev/full")
for number in range(3):
    sentry_sdk.capture_message("hello")
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_no_space_left_is_said_once_and_counted(logs: Path, run_script: Run) -> None:
    finished = run_script(NO_SPACE)
    assert finished.stdout.split() == ["0", "3"]
    assert finished.stderr.count("No space left on device") == 1


def cut_off_a_line(logs: Path) -> None:
    with next(logs.iterdir()).open("ab") as other:
        other.write(b'{"n":2')


@pytest.mark.parametrize("is_open", [True, False], ids=["while the file is open", "before it was opened"])
def test_a_line_cut_off_by_another_process_does_not_cost_the_next_one(logs: Path, is_open: bool) -> None:
    log_file = LogFile(logs)
    log_file.append(b'{"n":1}\n')
    cut_off_a_line(logs)
    if not is_open:
        log_file.close()
    log_file.append(b'{"n":3}\n')
    log_file.append(b'{"n":4}\n')
    assert contents(logs) == b'{"n":1}\n{"n":2{"n":3}\n{"n":3}\n{"n":4}\n'
    assert log_file.written_count == 3


def test_a_folder_that_cannot_be_made_does_not_fail_the_application(tmp_path: Path, run_script: Run) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    body = 'sentry_sdk.capture_message("one"); sentry_sdk.capture_message("two")'
    finished = run_script(body, folder=tmp_path / "taken")
    assert finished.stdout.split() == ["0", "2"]
    assert finished.stderr.count("errata: cannot") == 2


def test_a_folder_or_file_removed_meanwhile_is_made_again(logs: Path) -> None:
    log_file = LogFile(logs)
    log_file.append(b'{"n":1}\n')
    next(logs.iterdir()).unlink()
    log_file.append(b'{"n":2}\n')
    assert contents(logs) == b'{"n":2}\n'
    next(logs.iterdir()).unlink()
    logs.rmdir()
    log_file.append(b'{"n":3}\n')
    assert contents(logs) == b'{"n":3}\n'


def test_a_file_moved_away_is_followed_by_a_new_one(logs: Path, tmp_path: Path) -> None:
    log_file = LogFile(logs)
    log_file.append(b'{"n":1}\n')
    next(logs.iterdir()).rename(tmp_path / "rotated.log")
    log_file.append(b'{"n":2}\n')
    assert contents(logs) == b'{"n":2}\n'
    assert (tmp_path / "rotated.log").read_bytes() == b'{"n":1}\n'


def test_a_new_utc_day_is_a_new_file(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_file = LogFile(logs)
    for now in (1_795_219_199.9, 1_795_219_200.0):
        monkeypatch.setattr("time.time", lambda now=now: now)
        log_file.append(b"{}\n")
    assert sorted(file.name for file in logs.iterdir()) == ["errata-2026-11-20.log", "errata-2026-11-21.log"]


def test_a_line_the_service_would_refuse_is_counted_not_written(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log_file = LogFile(logs)
    assert not log_file.append(b"x" * (4 << 20) + b"\n")
    assert log_file.lost_count == 1
    assert not logs.exists()
    assert "errata: a line of 4194305 bytes" in capsys.readouterr().err


def test_threads_of_one_process_never_mix_their_lines(logs: Path) -> None:
    log_file = LogFile(logs)

    def work(letter: bytes) -> None:
        for _ in range(200):
            log_file.append(letter * 5000 + b"\n")

    threads = [threading.Thread(target=work, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = contents(logs).splitlines()
    assert len(written) == 600
    assert set(written) == {letter * 5000 for letter in (b"a", b"b", b"c")}


def test_a_line_is_written_again_until_it_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_file = LogFile(tmp_path)
    assert log_file.append(b'{"number":0}\n')
    write, killed = os.write, [b'{"number":1,"fill', b'{"number":2', b'{"num']

    def write_after_another_process(descriptor: int, line: bytes) -> int:
        if killed:
            write(descriptor, killed.pop())
        return write(descriptor, line)

    monkeypatch.setattr(os, "write", write_after_another_process)
    assert log_file.append(b'{"number":3}\n')
    assert log_file.append(b'{"number":4}\n')
    lines = contents(tmp_path).splitlines()
    assert [line for line in lines if line.count(b"{") == 1] == [
        b'{"number":0}',
        b'{"number":3}',
        b'{"number":4}',
    ]
    assert len(lines) == 6
