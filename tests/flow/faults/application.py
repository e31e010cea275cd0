"""An application on a host: the lines it writes to its log files, and which of them are whole."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from uuid import UUID

PADDINGS = (0, 0, 0, 200, 3000)


@dataclass(frozen=True)
class Line:
    """`content` is without the newline; `event_id` is empty where no server can read one."""

    content: bytes
    event_id: str


class Application:
    """Whatever it does, `written` holds exactly the lines that stand, or stood, whole in a log file."""

    def __init__(self, logs: Path, environment: str, chance: Random) -> None:
        self.logs = logs
        self.written: list[Line] = []
        self.clock_error = timedelta(0)
        # By it the issue list tells the applications apart.
        self.exception_type = f"{environment}-error"
        self._environment = environment
        self._chance = chance
        self._made = 0

    @property
    def today(self) -> Path:
        return self.day(0)

    def day(self, days: int) -> Path:
        """The log file of the day that is `days` after today."""
        date = datetime.now(UTC) + self.clock_error + timedelta(days=days)
        return self.logs / f"errata-{date:%Y-%m-%d}.log"

    def write(self, path: Path | None = None, count: int | None = None) -> None:
        with self.opened(path or self.today) as log:
            log.write(count)

    @contextmanager
    def opened(self, path: Path) -> Iterator["Log"]:
        log = Log(self, path, self._chance)
        try:
            yield log
        finally:
            log.close()

    def new_line(self, size: int = 0) -> Line:
        """An error event unlike every other one; of exactly `size` bytes if that is more than it needs."""
        line = self._line(0 if size else self._chance.choice(PADDINGS))
        missing = size - len(line.content)
        return self._line(missing, line.event_id) if missing > 0 else line

    def _line(self, padding: int, event_id: str = "") -> Line:
        self._made += not event_id
        now = datetime.now(UTC) + self.clock_error
        event_id = event_id or UUID(int=self._chance.getrandbits(128), version=4).hex
        payload = {
            "timestamp": now.isoformat(timespec="microseconds"),
            "environment": self._environment,
            "release": f"shop@1.{self._made % 3}.0",
            "user": {"id": self._made % 50},
            "exception": {"values": [{"type": self.exception_type, "value": "broken"}]},
            "extra": {"padding": "x" * padding},
            # Last, so that lines of one length differ late.
            "event_id": event_id,
        }
        item = {"type": "event", "logged_at": payload["timestamp"], "payload": payload}
        return Line(json.dumps(item).encode(), event_id)


class Log:
    """One log file, held open for append."""

    def __init__(self, application: Application, path: Path, chance: Random) -> None:
        self.path = path
        self._application = application
        self._chance = chance
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)

    def write(self, count: int | None = None) -> None:
        for _ in range(self._chance.randrange(1, 12) if count is None else count):
            self.write_line(self._application.new_line())

    def write_line(self, line: Line) -> None:
        self.write_all([line])

    def write_all(self, lines: Sequence[Line]) -> None:
        """In one go."""
        self.write_raw(b"".join(line.content + b"\n" for line in lines))
        self._application.written.extend(lines)

    def write_raw(self, content: bytes) -> None:
        """What makes no whole line yet, or none that an application means."""
        written = os.write(self._descriptor, content)
        assert written == len(content)

    def complete(self, line: Line, missing: bytes) -> None:
        """Write what is missing of a line that was begun."""
        self.write_raw(missing + b"\n")
        self._application.written.append(line)

    def close(self) -> None:
        os.close(self._descriptor)
