"""The Sentry SDK's transport that writes to the log file instead of the network."""

import json
import threading
import time
from collections.abc import Mapping
from typing import Any

import sentry_sdk
from errata_wire.completion import BINARY, completed_headers
from errata_wire.envelope import Item as WireItem
from sentry_sdk.envelope import Envelope, Item
from sentry_sdk.transport import Transport
from sentry_sdk.utils import capture_internal_exceptions

from errata_sdk.discards import Discards, report
from errata_sdk.fork import ForkAware, at_exit_of_worker
from errata_sdk.line import binary_line_of, line_of
from errata_sdk.log_file import LogFile

CLIENT_REPORT_EVERY_S = 60.0


class FileTransport(Transport, ForkAware):
    """Appends one line for each item of an envelope."""

    def __init__(self, app_key: str, log_file: LogFile) -> None:
        Transport.__init__(self)
        ForkAware.__init__(self)
        self.app_key = app_key
        self.log_file = log_file
        self._discards = Discards()
        self._reported_at = time.monotonic()
        # Whether lines were lost to trouble that no client report tells of yet.
        self._has_unreported_loss = False

    def forked(self) -> None:
        self._has_unreported_loss = False
        at_exit_of_worker(self, sentry_sdk.flush)
        # Sessions counted before are the parent's to tell, and its threads may have held the locks.
        flusher = getattr(sentry_sdk.get_client(), "session_flusher", None)
        if flusher is not None:
            flusher.pending_sessions, flusher.pending_aggregates = [], {}
            flusher._aggregate_lock, flusher._thread_lock = threading.Lock(), threading.Lock()

    def capture_envelope(self, envelope: Envelope) -> None:
        with capture_internal_exceptions():
            self.notice_fork()
            for item in envelope.items:
                self._append(item, envelope.headers)
            if self._has_unreported_loss and not self.log_file.is_in_trouble:
                self._append_client_report()
            else:
                self._report_when_due()

    def record_lost_event(
        self,
        reason: str,
        data_category: Any = None,
        item: Item | None = None,
        *,
        quantity: int = 1,
    ) -> None:
        with capture_internal_exceptions():
            category = item.data_category if item is not None else data_category
            self._discards.add(str(category), reason, quantity)
            self._report_when_due()

    def flush(self, timeout: float, callback: Any = None) -> None:
        """Lines are written when they are captured; what is left is the report of what was dropped."""
        with capture_internal_exceptions():
            self.log_file.wait(timeout)
            self._append_client_report()

    def kill(self) -> None:
        self.log_file.close()

    def _append(self, item: Item, envelope: Mapping[str, Any]) -> None:
        reason = "internal_sdk_error"
        with capture_internal_exceptions():
            line = self._line(item, envelope)
            reason = "log_write_error"
            if self.log_file.append(line):
                return
        self._discards.add(item.data_category, reason, item.headers.get("item_count", 1))
        self._has_unreported_loss |= self.log_file.is_in_trouble

    def _line(self, item: Item, envelope: Mapping[str, Any]) -> bytes:
        item_type = str(item.type)
        headers = completed_headers(WireItem(item_type, item.headers, b""), envelope)
        if item.payload.json is not None:
            return line_of(item_type, self.app_key, headers, item.payload.json)
        payload = item.get_bytes()
        if item_type not in BINARY and str(headers.get("content_type", "")).endswith("json"):
            return line_of(item_type, self.app_key, headers, json.loads(payload))
        return binary_line_of(item_type, self.app_key, headers, payload)

    def _report_when_due(self) -> None:
        if self._discards and time.monotonic() - self._reported_at > CLIENT_REPORT_EVERY_S:
            self._append_client_report()

    def _append_client_report(self) -> None:
        self._reported_at = time.monotonic()
        discarded = self._discards.take()
        if not discarded:
            return
        if self.log_file.append(line_of("client_report", self.app_key, {}, report(discarded))):
            self._has_unreported_loss = False
        else:
            self._discards.put_back(discarded)
