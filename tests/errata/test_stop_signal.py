"""A signal that arrives at any moment of a wait ends it, and never locks up the program."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = (
    *("errata", "api", "pipelines", "dashboards", "shipper/errata_shipper", "sdk/errata_sdk"),
    *("wire/errata_wire", "demo"),
)
# Raises the signal before each instruction of Python in turn, of two waits.
AT_EACH_INSTRUCTION = """
import signal, sys, threading
from errata.stop_signal import StopSignal

def step(frame, event, argument):
    global seen
    frame.f_trace_opcodes = True
    if event == "opcode":
        seen += 1
        if seen == at:
            signal.raise_signal(signal.SIGTERM)
    return step

at = seen = 0
while seen == at:
    at, seen = at + 1, 0
    stopping = MADE
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    sys.settrace(step)
    stopping.wait(0.001), stopping.wait(0.001)
    sys.settrace(None)
    assert stopping.is_set() or seen < at, at
    seen = min(seen, at)
print(at)
"""


def tried(made: str, seconds: float) -> "subprocess.CompletedProcess[str]":
    """Raises TimeoutExpired where it locks up; a busy machine takes seconds for all instructions."""
    program = [sys.executable, "-c", AT_EACH_INSTRUCTION.replace("MADE", made)]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False)


def test_a_signal_at_any_instruction_of_a_wait_is_taken() -> None:
    done = tried("StopSignal()", 60)
    assert done.returncode == 0 and int(done.stdout) > 20, done


@pytest.mark.slow
def test_an_event_of_threading_locks_up() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        tried("threading.Event()", 8)


def test_no_signal_handler_sets_an_event_of_threading() -> None:
    handlers = [
        path
        for program in PROGRAMS
        for path in (ROOT / program).rglob("*.py")
        if "signal.signal(" in path.read_text()
    ]
    assert len(handlers) > 5
    # That of the driver is set by the end of the program, not by a handler.
    events = {path.name for path in handlers if "threading.Event()" in path.read_text()}
    assert events <= {"driver.py"}
