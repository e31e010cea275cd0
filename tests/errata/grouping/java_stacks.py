"""Printed Java stacks as the events sentry-java makes of the same exceptions."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any
from zlib import crc32

from tests.errata.grouping.labelled import DATA, Event

# Of the programs whose stacks these are.
_PROGRAMS = re.compile(r"(?<![\w.$])(?=(?:shop|ledger|calc|importer|jobs|chatter|flow|lab)\.[A-Z])")
_FRAME = re.compile(r"\s*at (?:[\w.@-]*/)?([\w.$/+-]+)\.([\w$<>-]+)\(([^:)]*)(?::(\d+))?\)")
_MORE = re.compile(r"\s*\.\.\. (\d+) more")
_HEAD = re.compile(r"(\t*)(Caused by: |Suppressed: |)([\w.$]+\.[\w$]+)(?:: (.*))?")
# What the SDK never takes for the application's.
_EXCLUDED = ("java.", "javax.", "jdk.", "sun.", "com.sun.", "org.apache.", "com.google.")


def events_of_stacks() -> list[Event]:
    """Labelled with the bug in `extra.case`; the settings of every other server name what is in-app."""
    with gzip.open(DATA / "java_stacks.jsonl.gz", "rt") as lines:
        stacks = [json.loads(line) for line in lines]
    return [
        {
            "platform": "java",
            "exception": {"values": exceptions(stack["stack"], flagged=number % 2 == 0)},
            "extra": {"case": stack["bug"], "way": stack["way"], "server": stack["server"]},
        }
        for number, stack in enumerate(stacks)
    ]


def is_held_out(bug: str) -> bool:
    """The rules were chosen on the other half of the bugs."""
    return crc32(bug.encode()) % 2 == 1


def as_library(event: Event) -> Event:
    """The same stack in a project of the people who make a well-known library."""
    renamed: Event = json.loads(_PROGRAMS.sub("org.eclipse.", json.dumps(event)))
    for frame in (frame for item in renamed["exception"]["values"] for frame in item["stacktrace"]["frames"]):
        if "in_app" in frame:
            frame["in_app"] = frame["module"].startswith("org.eclipse.")
    return renamed


def exceptions(stack: str, *, flagged: bool) -> list[dict[str, Any]]:
    """The chain in the order of the SDK: causes and suppressed exceptions first, what was raised last."""
    found: list[dict[str, Any]] = []
    # By indentation: the calls of the exception printed last at it, the innermost first.
    calls: dict[int, list[Event]] = {}
    own: list[Event] = []
    enclosing: list[Event] = []
    for line in stack.splitlines():
        if match := _MORE.match(line):
            own += enclosing[len(enclosing) - int(match[1]) :]
        elif match := _FRAME.match(line):
            own.append(_frame(match, flagged=flagged))
        elif match := _HEAD.fullmatch(line):
            depth = len(match[1])
            enclosing = calls.get(depth - (match[2] == "Suppressed: "), [])
            own = calls[depth] = []
            found.insert(0, _exception(match, own))
        else:  # another line of the message
            found[0]["value"] += "\n" + line
    for item in found:
        item["stacktrace"]["frames"].reverse()
    return found


def _exception(match: re.Match[str], frames: list[Event]) -> dict[str, Any]:
    module, _, type_ = match[3].rpartition(".")
    kinds = {"": "generic", "Caused by: ": "chained", "Suppressed: ": "suppressed"}
    return {
        "type": type_,
        "module": module,
        "value": match[4] or "",
        "stacktrace": {"frames": frames},
        "mechanism": {"type": kinds[match[2]]},
    }


def _frame(match: re.Match[str], *, flagged: bool) -> Event:
    module, function, file, line = match.groups()
    frame: Event = {"module": module, "function": function}
    if file not in ("Unknown Source", "Native Method"):
        frame["filename"] = file
    if line:
        frame["lineno"] = int(line)
    if file == "Native Method":
        frame["native"] = True
    if flagged:
        frame["in_app"] = not module.startswith(_EXCLUDED)
    return frame
