"""The rrweb events of a recording: what a list of replays tells of them."""

import re
from dataclasses import dataclass

import msgspec

from api.ingest.values import mapping, number

# rrweb's types of events: https://github.com/rrweb-io/rrweb, packages/types.
FULL_SNAPSHOT, CUSTOM = 2, 5
# From 2000 to 2106, in ms.
EARLIEST_MS, LATEST_MS = 946_684_800_000, 4_291_747_200_000
# The SDK's own events name seconds where rrweb's name milliseconds.
SECONDS_MAX = 100_000_000_000
CUSTOM_MAX = 256 << 10
RAGE_CLICKS = 3
REQUESTS = frozenset({"resource.fetch", "resource.xhr"})
# A page load is a snapshot's page too, but only this says that one began.
NAVIGATIONS = "navigation."
TEXT = re.compile(rb'"textContent"\s{0,4}:\s{0,4}"((?:[^"\\]|\\.)*+)"(,"isStyle":true)?')
# White space, which masking keeps, and what it leaves of characters.
MASKED = b" \t\n\r\x0b\x0c\xc2\xa0*"
ESCAPED_SPACE = re.compile(rb"\\[nrt]|\\u00a0")

_decode = msgspec.json.Decoder().decode


class Typed(msgspec.Struct, gc=False):
    """What every event has. `timestamp`: unix ms, or seconds, by the clock of the browser."""

    type: int
    timestamp: float


class Head(Typed, gc=False):
    data: msgspec.Raw = msgspec.Raw(b"{}")


_decode_head = msgspec.json.Decoder(Head).decode


@dataclass(slots=True)
class RecordedEvents:
    """Counts of a segment. Moments are unix ms, of what the page showed, else of the SDK's own events; 0: no
    event."""

    event_count: int = 0
    first_ms: float = 0
    last_ms: float = 0
    has_shown: bool = False
    click_count: int = 0
    rage_click_count: int = 0
    dead_click_count: int = 0
    console_error_count: int = 0
    request_count: int = 0
    navigation_count: int = 0
    readable_count: int = 0
    masked_count: int = 0

    @property
    def is_unmasked(self) -> bool:
        """Whether most characters of the pages' texts can be read: masking leaves asterisks."""
        return self.readable_count > self.masked_count

    def add(self, event: bytes) -> bool:
        """Counts an event; False if it is none. Raises msgspec.DecodeError if it is no JSON."""
        try:
            head = _decode_head(event)
        except msgspec.ValidationError:
            return False
        at_ms = head.timestamp * 1000 if head.timestamp < SECONDS_MAX else head.timestamp
        if not EARLIEST_MS <= at_ms <= LATEST_MS or bytes(memoryview(head.data)[:1]) != b"{":
            return False
        self.event_count += 1
        self._time(at_ms, head.type != CUSTOM)
        if head.type == CUSTOM:
            if len(memoryview(head.data)) <= CUSTOM_MAX:
                self._add_custom(head.data)
            return True
        if head.type == FULL_SNAPSHOT:
            self._add_texts(memoryview(head.data))
        return True

    def _time(self, at_ms: float, is_shown: bool) -> None:
        if is_shown and not self.has_shown:
            self.has_shown, self.first_ms, self.last_ms = True, at_ms, at_ms
        elif is_shown or not self.has_shown:
            self.first_ms = min(self.first_ms or at_ms, at_ms)
            self.last_ms = max(self.last_ms, at_ms)

    def _add_custom(self, data: bytes | msgspec.Raw) -> None:
        """Breadcrumbs and spans of the SDK, as its replay integration sends them. Those with numbers that
        nothing holds are not counted."""
        try:
            decoded = _decode(data)
        except (msgspec.DecodeError, RecursionError):
            return
        payload = mapping(mapping(decoded).get("payload"))
        category, operation, about = payload.get("category"), payload.get("op"), mapping(payload.get("data"))
        if category == "ui.click":
            self.click_count += 1
        elif category in ("ui.multiClick", "ui.slowClickDetected"):
            self.rage_click_count += (number(about.get("clickCount")) or 0) >= RAGE_CLICKS
            self.dead_click_count += about.get("endReason") == "timeout"
        elif category == "console":
            self.console_error_count += payload.get("level") == "error"
        elif isinstance(operation, str):
            self.request_count += operation in REQUESTS
            self.navigation_count += operation.startswith(NAVIGATIONS)

    def _add_texts(self, snapshot: memoryview) -> None:
        for found in TEXT.finditer(snapshot):
            # Styles are never masked.
            if found[2] is None:
                text = ESCAPED_SPACE.sub(b"", found[1])
                self.readable_count += len(text.translate(None, MASKED))
                self.masked_count += text.count(b"*")
