"""Items of an envelope become lines of the log file, whichever door they came through."""

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from errata_wire.envelope import Envelope, Item, parse
from errata_wire.limits import LINE_MAX_BYTES, item_line_max_bytes
from errata_wire.refusal import Refused

from errata_shipper.clock import Clock
from errata_shipper.intake.client_report import client_report
from errata_shipper.intake.line import line_of
from errata_shipper.intake.log_file import LogFile
from errata_shipper.intake.notices import Notices
from errata_shipper.intake.stored_event import envelope_of

_LARGE_BYTES = 1 << 20


def envelope_in(content: bytes, *, is_event: bool) -> Envelope:
    """The envelope of a request's inflated body; `is_event`: the body is one event, as `/store/` takes it.
    Raises Refused."""
    try:
        return envelope_of(content, LINE_MAX_BYTES) if is_event else parse(content)
    except RecursionError:
        raise Refused(400, "invalid envelope: a header is nested too deeply") from None


def id_of(envelope: Envelope) -> dict[str, Any]:
    """What a request is answered with: the event's id, if the envelope has one."""
    event_id = envelope.headers.get("event_id")
    return {"id": event_id} if isinstance(event_id, str) else {}


class LargeBodies:
    """Lines of large bodies take many times their size: they are made one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def turn(self, content: bytes) -> AbstractContextManager[object]:
        """To hold while lines are made of an inflated body."""
        return self._lock if len(content) > _LARGE_BYTES else nullcontext()


class Spool:
    """`lack_of_room` says why no more may be written; empty while there is room."""

    def __init__(
        self, log_file: LogFile, lack_of_room: Callable[[], str], clock: Clock, notices: Notices
    ) -> None:
        self._log_file = log_file
        self._lack_of_room = lack_of_room
        self._clock = clock
        self._notices = notices

    @property
    def lack(self) -> str:
        return self._lack_of_room()

    def take(
        self,
        envelope: Envelope,
        app_key: str,
        client_address: str,
        admit: Callable[[list[bytes]], None] = lambda lines: None,
    ) -> int:
        """Write the items, and return how many were written; they are on disk then. `admit` sees the lines
        before, and may refuse them. Raises Refused."""
        if problem := self.lack:
            raise Refused(503, problem, {"Retry-After": "60"})
        now = self._clock.now()
        made = [
            (item, line_of(item, envelope.headers, app_key, client_address, now)) for item in envelope.items
        ]
        lines = [line for _, line in made if line is not None]
        dropped = [item for item, line in made if line is None]
        report = line_of(client_report(dropped, "too_large", now), {}, app_key, "", now)
        admit(lines)
        self._append([*lines, report] if dropped and report else lines)
        self._say_dropped(dropped)
        if dropped and not lines:
            most = max(item_line_max_bytes(item.type) for item in dropped)
            raise Refused(413, f"an item's line exceeds {most} bytes")
        return len(lines)

    def _say_dropped(self, items: list[Item]) -> None:
        for item in items:
            most = item_line_max_bytes(item.type)
            what = f"{item.type} of {len(item.payload)} bytes; its line would exceed {most}"
            self._notices.say(logging.WARNING, "dropped", f"Intake dropped: {what}")

    def _append(self, lines: list[bytes]) -> None:
        try:
            self._log_file.append(lines)
        except OSError as error:
            what = error.strerror or str(error)
            raise Refused(503, f"cannot write the log file: {what}", {"Retry-After": "60"}) from error
