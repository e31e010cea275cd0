"""The sentence in which a process says why it ended."""

import re
from collections.abc import Sequence

LONGEST = 400
# Of our programs, of uvicorn and of ClickHouse; else the last line of a traceback.
MARKED = re.compile(r"(?:^| )(?:errata: |ERROR: |DB::)(.+)")
RAISED = re.compile(r"(?!INFO|WARNING|DEBUG)(?:[a-z_]\w*\.)*[A-Z]\w*: .+")


def last_words(lines: Sequence[str]) -> str:
    """The last line that names an error, else the last one; empty if nothing was printed."""
    said = [line.strip()[: 2 * LONGEST] for line in lines if line.strip()]
    for line in reversed(said):
        if marked := MARKED.search(line):
            return marked[1].strip()[:LONGEST]
        if RAISED.match(line):
            return line[:LONGEST]
    return said[-1][:LONGEST] if said else ""
