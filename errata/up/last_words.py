"""The sentence in which a process says why it ended."""

import re
from collections.abc import Sequence

from errata.process_log.json_lines import fields_in

LONGEST = 400
# Of our programs, of uvicorn and of ClickHouse; else the last line of a traceback.
MARKED = re.compile(r"(?:^| )(?:errata: |ERROR: |DB::)(.+)")
RAISED = re.compile(r"(?!INFO|WARNING|DEBUG)(?:[a-z_]\w*\.)*[A-Z]\w*: .+")


def last_words(lines: Sequence[str]) -> str:
    """The last line that names an error, else the last one; empty if nothing was printed."""
    said = [_plain(line.strip())[: 2 * LONGEST] for line in lines if line.strip()]
    for line in reversed(said):
        if marked := MARKED.search(line):
            return marked[1].strip()[:LONGEST]
        if RAISED.match(line):
            return line[:LONGEST]
    return said[-1][:LONGEST] if said else ""


def _plain(line: str) -> str:
    """A line of JSON as its process would have printed it."""
    fields = fields_in(line) if line.startswith("{") else None
    if fields is None:
        return line
    raised = str(fields.get("exception", "")).strip().rpartition("\n")[2]
    message = raised or str(fields["message"])
    return f"errata: {message}" if fields["level"] in {"ERROR", "CRITICAL"} else message
