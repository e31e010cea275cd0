"""Scripts and maps that would end the process that opens them, or keep it busy."""

import json
import os
import signal
import time
from collections.abc import Iterator
from uuid import UUID, uuid4

import psutil
import pytest

from errata.source_maps.frames import Position
from errata.source_maps.opened import MapUnreadable, Original
from errata.source_maps.reader import ENDED, Reader

MAP = json.dumps(
    {"version": 3, "sources": ["a.js"], "sourcesContent": ["f();"], "names": [], "mappings": "AAAA"}
).encode()
GOOD = (uuid4(), uuid4())


@pytest.fixture
def reader() -> Iterator[Reader]:
    made = Reader()
    yield made
    made.close()


def read(reader: Reader, script: bytes, source_map: bytes = MAP, key: tuple[UUID, UUID] = GOOD) -> str:
    (found,) = reader.originals(key, [Position(1, 1)], lambda: (script, source_map))
    assert isinstance(found, Original)
    return found.source


def processes() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if "errata.source_maps.reader_process" in child.cmdline()
    ]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(b"(" * 20_000, id="brackets"),
        pytest.param(b"(function(){" * 20_000 + b"})()" * 20_000, id="functions"),
        pytest.param(b"!" * 20_000 + b"1", id="no-brackets"),
        pytest.param(b"1+" * 1_000_000 + b"1", id="sum"),
        pytest.param(b"function a(){}" * 4_000_000, id="memory-of-the-parser"),
        pytest.param(b"\n" * (64 << 20), id="memory-of-lines"),
    ],
)
def test_a_hostile_script_ends_its_reader_alone(reader: Reader, script: bytes) -> None:
    asked = 0

    def contents() -> tuple[bytes, bytes]:
        nonlocal asked
        asked += 1
        return script, MAP

    assert read(reader, b"f();") == "a.js"
    hostile = uuid4(), uuid4()
    for _ in range(2):
        with pytest.raises(MapUnreadable, match=ENDED):
            reader.originals(hostile, [Position(1, 1)], contents)
    assert asked == 1, "it was tried again"
    assert read(reader, b"f();") == "a.js"


def test_a_reader_that_was_killed_is_started_again(reader: Reader) -> None:
    before = {process.pid for process in processes()}
    assert read(reader, b"f();") == "a.js"
    (process,) = (one for one in processes() if one.pid not in before)
    process.kill()
    process.wait(10)
    assert read(reader, b"f();") == "a.js"


def test_a_reader_that_says_nothing_is_given_up() -> None:
    reader = Reader(seconds=0.5)
    before = {process.pid for process in processes()}
    assert read(reader, b"f();") == "a.js"
    (process,) = (one for one in processes() if one.pid not in before)
    os.kill(process.pid, signal.SIGSTOP)
    began = time.monotonic()
    assert read(reader, b"f();") == "a.js"
    assert time.monotonic() - began < 10
    reader.close()


def test_a_reader_has_none_of_our_secrets(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_SECRET_KEY", "planted")
    before = {process.pid for process in processes()}
    assert read(reader, b"f();") == "a.js"
    (process,) = (one for one in processes() if one.pid not in before)
    assert "PYTHONPATH" in process.environ() and "ERRATA_SECRET_KEY" not in process.environ()


def test_a_character_of_a_script_is_counted_as_browsers_do(reader: Reader) -> None:
    """In UTF-16, without the mark before a text in UTF-8."""
    mappings = "AAAA,IAAA;AACA"
    about = {"version": 3, "sources": ["a.js"], "sourcesContent": ["x\ny"], "names": [], "mappings": mappings}
    script = "\ufeff'😀';\ng();\n".encode()
    places = [0, 5, 6]
    found = reader.originals((uuid4(), uuid4()), places, lambda: (script, json.dumps(about).encode()))
    assert [each and each.line for each in found] == [1, 1, 2]
