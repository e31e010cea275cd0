"""Processes that share a log directory, however they were started and however they end."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sdk.conftest import OUR_PATH

Lines = Callable[[], list[dict[str, Any]]]
Run = Callable[..., subprocess.CompletedProcess[str]]


def messages(lines: Lines) -> Counter[str]:
    return Counter(line["payload"]["message"] for line in lines() if line["type"] == "event")


def discards(lines: Lines) -> Counter[tuple[str, str]]:
    return Counter(
        {
            (event["reason"], event["category"]): event["quantity"]
            for line in lines()
            if line["type"] == "client_report"
            for event in line["payload"]["discarded_events"]
        }
    )


FORKED_WITH_DISCARDS = """
import os
client = sentry_sdk.get_client()
transport.record_lost_event("sample_rate", "transaction")
client.session_flusher.pending_sessions.append({"sid": "of the parent"})
pid = os.fork()
if pid == 0:
    sentry_sdk.capture_message("child")
    transport.record_lost_event("before_send", "error")
    sys.exit(0)
assert os.waitpid(pid, 0)[1] == 0
sentry_sdk.flush()
"""


def test_what_was_counted_before_a_fork_is_told_once(run_script: Run, lines: Lines) -> None:
    run_script(FORKED_WITH_DISCARDS)
    assert messages(lines) == {"child": 1}
    assert sorted(line["type"] for line in lines()) == ["client_report", "client_report", "event", "session"]
    assert discards(lines) == {("before_send", "error"): 1, ("sample_rate", "transaction"): 1}


LOCKED_FORK = """
import os, threading
flusher = sentry_sdk.get_client().session_flusher
held, done = threading.Event(), threading.Event()
def hold():
    with flusher._aggregate_lock, flusher._thread_lock, transport.log_file._lock, transport._discards._lock:
        held.set()
        done.wait()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
pid = os.fork()
if pid == 0:
    sentry_sdk.capture_message("child")
    with sentry_sdk.sessions.track_session(sentry_sdk.get_isolation_scope(), session_mode="request"):
        pass
    transport.record_lost_event("before_send", "error")
    sentry_sdk.flush()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
done.set()
thread.join()
"""


@pytest.mark.slow
def test_no_lock_that_a_thread_of_the_parent_held_stops_the_child(run_script: Run, lines: Lines) -> None:
    run_script(LOCKED_FORK)
    assert sorted(line["type"] for line in lines()) == ["client_report", "event", "sessions"]


# What uWSGI does unless told otherwise: the interpreter does not learn that it was forked.
FORKED_BEHIND_PYTHONS_BACK = """
import ctypes, os, types
master = os.getpid()
sys.modules["uwsgi"] = types.SimpleNamespace(worker_id=lambda: int(os.getpid() != master))
sentry_sdk.capture_message("before")
transport.record_lost_event("before_send", "error")
children = []
for child in range(3):
    pid = ctypes.PyDLL(None).fork()
    if pid == 0:
        for number in range(30):
            sentry_sdk.capture_message(f"{child}-{number}")
        sentry_sdk.flush()
        os._exit(0)
    children.append(pid)
assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no fork")
def test_workers_of_uwsgi_which_forks_without_pythons_hooks_write_each_line_once(
    run_script: Run, lines: Lines
) -> None:
    run_script(FORKED_BEHIND_PYTHONS_BACK)
    assert messages(lines) == Counter(
        ["before", *(f"{child}-{number}" for child in range(3) for number in range(30))]
    )
    assert discards(lines) == {("before_send", "error"): 1}


STARTED_BY_MULTIPROCESSING = """
import multiprocessing, sys, sentry_sdk, errata_sdk

transport = errata_sdk.init("errata_app_test", sys.argv[1], before_send=lambda event, hint: (
    None if event["message"] == "unwanted" else event), auto_enabling_integrations=False)

def work(name):
    sentry_sdk.capture_message(name)
    sentry_sdk.capture_message("unwanted")

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        process = multiprocessing.get_context(method).Process(target=work, args=(method,))
        process.start()
        process.join()
        assert process.exitcode == 0
{body}
"""


@pytest.mark.slow
def test_workers_of_multiprocessing_write_all_they_have_before_they_end(
    run_script: Run, lines: Lines
) -> None:
    run_script("", frame=STARTED_BY_MULTIPROCESSING)
    assert messages(lines) == {"fork": 1, "spawn": 1, "forkserver": 1}
    reports = [line["payload"]["discarded_events"] for line in lines() if line["type"] == "client_report"]
    assert reports == [[{"reason": "before_send", "category": "error", "quantity": 1}]] * 3


ENDED = """
import os, threading

def fail():
    raise RuntimeError("at the end")

def fail_in_a_thread():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    sys.exit(0)

endings = [lambda: os._exit(0), lambda: sys.exit(0), fail, fail_in_a_thread]
for number, ending in enumerate(endings):
    pid = os.fork()
    if pid == 0:
        sentry_sdk.capture_message(f"last words {number}")
        transport.record_lost_event("before_send", "error")
        ending()
    assert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == (1 if ending is fail else 0)
"""


@pytest.mark.slow
def test_a_process_may_end_as_it_likes(run_script: Run, lines: Lines) -> None:
    run_script(ENDED)
    events = [line["payload"] for line in lines() if line["type"] == "event"]
    assert sorted(e.get("message") or e["exception"]["values"][0]["type"] for e in events) == [
        *("RuntimeError", "ZeroDivisionError"),
        *("last words 0", "last words 1", "last words 2", "last words 3"),
    ]
    # os._exit is the one end that leaves no time for the report.
    assert [line["type"] for line in lines()].count("client_report") == 3


# Says on its standard output which lines were written, so that none may be missing.
KILLED = """
import os
from pathlib import Path
from errata_sdk.log_file import LogFile
log_file, number = LogFile(Path(sys.argv[1])), 0
while True:
    line = b'{"writer":"%s","number":%d,"filling":"%s"}\\n' % (sys.argv[2].encode(), number, b"x" * 1_000_000)
    assert log_file.append(line)
    os.write(1, b"%d\\n" % number)
    number += 1
"""


@pytest.mark.slow
def test_a_writer_killed_in_the_middle_of_a_line_costs_no_other_line(logs: Path) -> None:
    chance = random.Random(4)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", f"import sys{KILLED}", str(logs), str(name)],
            env={**os.environ, **OUR_PATH},
            stdout=subprocess.PIPE,
        )
        for name in range(3)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"0\n"
    for writer in writers:
        time.sleep(chance.uniform(0.005, 0.03))
        writer.send_signal(signal.SIGKILL)
    told = {
        (str(name), int(number))
        for name, writer in enumerate(writers)
        for number in ["0", *writer.communicate()[0].decode().split()]
    }
    whole: Counter[tuple[str, int]] = Counter()
    for line in next(logs.glob("*.log")).read_bytes().split(b"\n"):
        if line.startswith(b"{") and line.endswith(b'x"}') and line.count(b"{") == 1:
            read = json.loads(line)
            whole[read["writer"], read["number"]] += 1
    assert told <= whole.keys()
    assert set(whole.values()) == {1}
