"""Events of each recorded SDK, cut to a few entries of each list: all keys, few repetitions."""

import json
import re
import socket
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import Any

from tests.captures import DATA
from tests.dashboards.events import captured
from tests.errata.grouping.java_stacks import events_of_stacks
from tests.shipper.intake.listening import Listening

Event = dict[str, Any]
Path = tuple[str | int, ...]
LONGEST_LIST = 3


RECORDED = {path.stem: path for path in sorted((DATA / "intake").glob("*.json"))}
CAPTURED = ("python_errors", "javascript_errors", "browser_error_events", "engine_errors", "native_crashes")
NAMES = (*RECORDED, *CAPTURED, "java")


@cache
def sdk_events(name: str) -> list[Event]:
    """By the name of the SDK, or of the file: enough of its events to have every key in it."""
    if name in RECORDED:
        return [cut(received(RECORDED[name]))]
    if name == "java":
        return [cut(events_of_stacks()[0])]
    return [cut(event) for event in with_all_keys([line.get("payload", line) for line in captured(name)])]


def received(path: File) -> Event:
    """The event of a recorded conversation, as the intake takes it."""
    streams = [b64decode(stream) for stream in json.loads(path.read_text())["streams"]]
    pages = {origin.decode() for origin in re.findall(rb"\r\norigin: (\S+)", b"".join(streams), re.I)}
    with TemporaryDirectory() as folder:
        intake = Listening(File(folder), origins=tuple(pages))
        for stream in streams:
            with intake.connect() as client:
                client.sendall(stream)
                client.shutdown(socket.SHUT_WR)
                while client.recv(65536):
                    pass
        intake.stop()
        event: Event = next(line["payload"] for line in intake.lines() if line["type"] == "event")
        return event


def with_all_keys(events: list[Event]) -> Iterator[Event]:
    """Of many events those that have a key which none before has; names of variables don't count."""
    known: set[tuple[str, ...]] = set()
    for event in events:
        keys = {tuple(part for part in path if isinstance(part, str)) for path, _ in leaves(cut(event))}
        keys = {path[: path.index("vars") + 1] if "vars" in path else path for path in keys}
        keys = {path for path in keys if path[0] not in ("_meta", "modules")}
        if keys - known:
            known |= keys
            yield event


def cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: cut(item) for name, item in value.items()}
    return [cut(item) for item in value[-LONGEST_LIST:]] if isinstance(value, list) else value


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    inner: Any = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    if not isinstance(value, dict | list):
        yield path, value
    for name, item in inner:
        yield from leaves(item, (*path, name))


def planted(value: Any, places: dict[Path, Any], path: Path = ()) -> Any:
    """A copy with other leaves at these places."""
    if path in places:
        return places[path]
    if isinstance(value, dict):
        return {name: planted(item, places, (*path, name)) for name, item in value.items()}
    if isinstance(value, list):
        return [planted(item, places, (*path, number)) for number, item in enumerate(value)]
    return value
