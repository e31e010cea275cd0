"""The Sentry SDK's transport that writes to the log file instead of the network."""

import json
import time
from collections import Counter
from typing import Any

from sentry_sdk.envelope import Envelope, Item
from sentry_sdk.transport import Transport
from sentry_sdk.utils import capture_internal_exceptions

from errata_sdk.line import binary_line_of, line_of
from errata_sdk.log_file import LogFile

CLIENT_REPORT_EVERY_S = 60.0


class FileTransport(Transport):
    """Appends one line for each item of an envelope."""

    def __init__(self, app_key: str, log_file: LogFile) -> None:
        super().__init__()
        self.app_key = app_key
        self.log_file = log_file
        self._discarded: Counter[tuple[str, str]] = Counter()
        self._reported_at = time.monotonic()

    def capture_envelope(self, envelope: Envelope) -> None:
        with capture_internal_exceptions():
            trace = envelope.headers.get("trace")
            for item in envelope.items:
                if not self._append(item, trace):
                    self.record_lost_event("log_write_error", item.data_category)
            if self._discarded and time.monotonic() - self._reported_at > CLIENT_REPORT_EVERY_S:
                self._append_client_report()

    def record_lost_event(
        self,
        reason: str,
        data_category: Any = None,
        item: Item | None = None,
        *,
        quantity: int = 1,
    ) -> None:
        category = item.data_category if item is not None else data_category
        self._discarded[str(category), reason] += quantity

    def flush(self, timeout: float, callback: Any = None) -> None:
        """Lines are written when they are captured; what is left is the report of what was dropped."""
        with capture_internal_exceptions():
            self._append_client_report()

    def kill(self) -> None:
        self.log_file.close()

    def _append(self, item: Item, trace: Any) -> bool:
        written = False
        with capture_internal_exceptions():
            written = self.log_file.append(self._line(item, trace))
        return written

    def _line(self, item: Item, trace: Any) -> bytes:
        item_type = str(item.type)
        headers = dict(item.headers)
        if trace and item_type != "event":
            # The sample rate a count is divided by is told nowhere else.
            headers["trace"] = trace
        if item.payload.json is not None:
            return line_of(item_type, self.app_key, headers, item.payload.json)
        payload = item.get_bytes()
        if str(headers.get("content_type", "")).endswith("json"):
            return line_of(item_type, self.app_key, headers, json.loads(payload))
        return binary_line_of(item_type, self.app_key, headers, payload)

    def _append_client_report(self) -> None:
        discarded, self._discarded = self._discarded, Counter()
        self._reported_at = time.monotonic()
        if not discarded:
            return
        events = [
            {"reason": reason, "category": category, "quantity": quantity}
            for (category, reason), quantity in discarded.items()
        ]
        report = {"timestamp": time.time(), "discarded_events": events}
        if not self.log_file.append(line_of("client_report", self.app_key, {}, report)):
            self._discarded.update(discarded)
