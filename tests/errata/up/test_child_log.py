"""The logs of the processes stay small while they run, and no line is lost where a file ends."""

import json
import sys
import time
from pathlib import Path

import pytest

from errata.process_log.json_lines import as_line, fields_of
from errata.process_log.log_format import LogFormat
from errata.up import child_log
from errata.up.child import Child

MAX_BYTES = 100_000
COUNTING = "import sys\nfor number in range({count}):\n    print('line', number, file=sys.stderr)"


def ended(child: Child) -> None:
    assert child.process is not None
    child.process.wait(30)
    child.stop(5)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_log, "LOG_MAX_BYTES", MAX_BYTES)


@pytest.mark.usefixtures("small")
def test_a_process_that_prints_without_end_fills_two_files_and_no_line_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    child = Child("web", [sys.executable, "-c", COUNTING.format(count=40_000)], {}, path)
    child.start()
    ended(child)
    before = tmp_path / "web.log.1"
    assert 0 < path.stat().st_size <= MAX_BYTES and before.stat().st_size <= MAX_BYTES
    kept = (before.read_text() + path.read_text()).splitlines()
    assert kept == [f"line {number}" for number in range(40_000 - len(kept), 40_000)]
    assert len(kept) > 5_000


@pytest.mark.usefixtures("small")
def test_a_line_without_an_end_is_bounded_too(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    endless = f"import sys\nfor _ in range(100): sys.stdout.write('x' * {MAX_BYTES // 4}); sys.stdout.flush()"
    child = Child("web", [sys.executable, "-c", endless], {}, path)
    child.start()
    ended(child)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 3 * MAX_BYTES


def test_what_a_process_printed_last_is_there_when_it_has_stopped(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    child = Child("web", [sys.executable, "-c", "print('first')"], {}, path)
    child.start()
    ended(child)
    child.start()
    ended(child)
    assert path.read_text() == "first\nfirst\n"


def test_a_process_goes_on_where_its_log_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "web.log"
    done = tmp_path / "done"
    program = COUNTING.format(count=50_000) + f"\nopen({str(done)!r}, 'w').close()"
    child = Child("web", [sys.executable, "-c", program], {}, path)
    child.start()
    deadline = time.monotonic() + 30
    while not done.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    ended(child)
    assert not path.exists()


def test_all_that_a_process_prints_becomes_json_where_it_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    own = as_line(fields_of("web", "ERROR", "errata", "Port 80\nis taken"))
    program = (
        f"print('plain \\x1b[1m text'); print({own!r}); print(); print('{{}}'); raise ValueError('no\\nway')"
    )
    child = Child("web", [sys.executable, "-c", program], {}, path, logs=LogFormat.JSON)
    child.start()
    ended(child)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert json.loads(own) in lines
    others = [line for line in lines if line["logger"] == "output"]
    assert {line["process"] for line in lines} == {"web"}
    messages = [line["message"] for line in others]
    assert {"plain \x1b[1m text", "{}", "ValueError: no", "way"} <= set(messages)


def test_an_endless_line_is_cut_into_lines_of_json(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    endless = "import sys\nfor _ in range(100): sys.stdout.write('x' * 10_000); sys.stdout.flush()"
    child = Child("web", [sys.executable, "-c", endless], {}, path, logs=LogFormat.JSON)
    child.start()
    ended(child)
    messages = [json.loads(line)["message"] for line in path.read_text().splitlines()]
    assert len(messages) > 1 and all(message.strip("x") == "" for message in messages)
