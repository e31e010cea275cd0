"""A line of JSON for each record, whatever is in it, and the id of the request that it belongs to."""

import asyncio
import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from errata.errors import InvalidSettings
from errata.process_log.json_lines import FACTS, LONGEST_LINE_BYTES, JsonFormatter, as_json_line
from errata.process_log.log_format import LogFormat, log_format
from errata.process_log.request_name import answering, current_request_id, name_request
from tests.cases import each

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
Lines = Callable[[], list[dict[str, object]]]


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(JsonFormatter("web"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def kept() -> Iterator[Kept]:
    handler = Kept()
    log.addHandler(handler)
    yield handler
    log.removeHandler(handler)


# Without a parent: no report of a test can hold half a character.
log = logging.Logger("tests.json")


def test_a_record_has_its_fields(kept: Kept) -> None:
    log.warning("%d parts are late", 3, extra={FACTS: {"part_count": 3}})
    (line,) = map(json.loads, kept.lines)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert line == {
        "level": "WARNING",
        "logger": "tests.json",
        "message": "3 parts are late",
        "process": "web",
        "part_count": 3,
    }


@each(
    "text",
    ["two\nlines", "\r\x00\x1b[31m\x85\u2028", "half \ud83d", "\U0001f600" * 9_000, '{"a": 1}\n{"b": 2}'],
)
def test_any_text_is_one_bounded_line(kept: Kept, text: str) -> None:
    try:
        raise ValueError(text)
    except ValueError:
        log.exception("It said %s", text)
    line = kept.lines[-1]
    assert line.isascii() and line.splitlines() == [line] and line.isprintable()
    assert len(line) < LONGEST_LINE_BYTES
    assert text[:10] in json.loads(line)["message"]
    assert as_json_line("web", line.encode()) == line.encode()


def test_an_exception_is_a_text_and_secrets_are_left_out(kept: Kept) -> None:
    try:
        raise ValueError(f"{KEY} is refused")
    except ValueError:
        log.exception("Refused %s", KEY)
    (line,) = kept.lines
    assert KEY not in line
    exception = json.loads(line)["exception"]
    assert exception.startswith("Traceback") and "is refused" in exception


def test_lines_of_a_request_have_its_id_also_in_threads_and_tasks(kept: Kept) -> None:
    async def answer(request_id: str) -> None:
        with answering() as named:
            # Given later, by what is called within a task.
            await asyncio.create_task(name_and_log(request_id))
            assert named.request_id == request_id
            await asyncio.to_thread(log.warning, "of %s", request_id)
            with ThreadPoolExecutor(1) as pool:
                pool.submit(copy_context().run, log.warning, "of %s", request_id)

    async def name_and_log(request_id: str) -> None:
        name_request(request_id)
        await asyncio.sleep(0)
        log.warning("of %s", request_id)

    async def answer_all() -> None:
        await asyncio.gather(*(answer(f"r{number}") for number in range(20)))

    asyncio.run(answer_all())
    lines = [json.loads(line) for line in kept.lines]
    assert len(lines) == 60
    assert all(line["message"] == f"of {line['request_id']}" for line in lines)
    assert current_request_id() == ""
    log.warning("of none")
    assert "request_id" not in json.loads(kept.lines[-1])


def test_the_format_is_text_unless_it_is_set() -> None:
    assert log_format({}) is LogFormat.TEXT
    assert log_format({"ERRATA_LOG_FORMAT": "json"}) is LogFormat.JSON
    with pytest.raises(InvalidSettings, match="ERRATA_LOG_FORMAT: must be text or json"):
        log_format({"ERRATA_LOG_FORMAT": "yaml"})


@each(
    ("work", "message"),
    [
        ("raise ValueError('no')", "The process ended unexpectedly"),
        ("import warnings; warnings.warn('old')", "UserWarning: old"),
        (
            "import threading\n"
            "def fail(): raise ValueError('no')\n"
            "t = threading.Thread(target=fail); t.start(); t.join()",
            "A thread ended unexpectedly",
        ),
        (
            "from errata.endings import reported\n"
            "from errata.errors import InvalidSettings\n"
            "reported(InvalidSettings(['PORT: not a number']))",
            "Missing or invalid settings: PORT: not a number",
        ),
    ],
)
def test_what_ends_a_process_is_a_line_of_json(work: str, message: str) -> None:
    program = "from errata.process_log.configured import configure\n"
    program += "configure('web', {'ERRATA_LOG_FORMAT': 'json'})\n" + work
    ended = subprocess.run(
        [sys.executable, "-W", "default", "-c", program], capture_output=True, text=True, check=False
    )
    (line,) = map(json.loads, ended.stderr.splitlines())
    assert message in line["message"] and line["process"] == "web"
    if "ValueError" in work:
        assert line["exception"].rstrip().endswith("ValueError: no")
