"""Log records as JSON, one object a line."""

import json
import logging
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from errata_wire.secret_text import without_secrets

from errata.process_log.request_name import current_request_id

FACTS = "facts"
"""What a call adds to its line: `log.info(…, extra={FACTS: {…}})`."""
# Escaped, a line is shorter than what the supervisor takes for one.
LONGEST_TEXT = 8_000
LONGEST_LINE_BYTES = 256 << 10
FIELDS = frozenset({"time", "level", "logger", "message", "process"})


class JsonFormatter(logging.Formatter):
    """`process`: the part of the service, such as web."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        fields = fields_of(
            self._process, record.levelname, record.name, record.getMessage(), at=record.created
        )
        if request_id := current_request_id():
            fields["request_id"] = request_id
        fields |= getattr(record, FACTS, {})
        if record.exc_info:
            # What was raised stands at its end.
            fields["exception"] = without_secrets(self.formatException(record.exc_info))[-LONGEST_TEXT:]
        return as_line(fields)


def fields_of(
    process: str, level: str, logger: str, message: str, *, at: float | None = None
) -> dict[str, Any]:
    moment = datetime.fromtimestamp(time.time() if at is None else at, UTC)
    return {
        "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "level": level,
        "logger": logger,
        "message": without_secrets(message)[:LONGEST_TEXT],
        "process": process,
    }


def as_line(fields: Mapping[str, Any]) -> str:
    """JSON without a newline: control characters, and all that is not ASCII, are escaped."""
    return json.dumps(fields, default=str)


def fields_in(line: str | bytes) -> dict[str, Any] | None:
    """The fields of a line that a formatter wrote; None for any other text."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.keys() >= FIELDS else None


def as_json_line(process: str, line: bytes) -> bytes:
    """The line itself if it is one of ours. What a library or an interpreter has printed becomes the message
    of one."""
    if fields_in(line) is not None:
        return line
    text = line.decode(errors="replace").rstrip()
    return as_line(fields_of(process, "INFO", "output", text)).encode()
