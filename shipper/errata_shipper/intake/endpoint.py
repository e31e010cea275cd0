"""What a request is answered with; everything but the network."""

import logging
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from errata_wire import content_encoding
from errata_wire.address import sender
from errata_wire.envelope import Envelope, Item, parse
from errata_wire.limits import LINE_MAX_BYTES, item_line_max_bytes
from errata_wire.rate import Rates
from errata_wire.refusal import Refused

from errata_shipper.clock import Clock
from errata_shipper.intake.application_key import named_key
from errata_shipper.intake.client_report import client_report
from errata_shipper.intake.line import line_of
from errata_shipper.intake.log_file import LogFile
from errata_shipper.intake.notices import Notices
from errata_shipper.intake.origin import OriginPolicy
from errata_shipper.intake.settings import IntakeSettings
from errata_shipper.intake.stored_event import envelope_of

log = logging.getLogger(__name__)

_LARGE_BYTES = 1 << 20
# Whose rates are remembered.
_APPLICATIONS = 1000
_PATH = re.compile(r"(?:/.*)?/api/(?:[^/]+/)?(?P<kind>envelope|store)/?")


@dataclass(frozen=True)
class Head:
    """A request without its body; names of headers in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    peer: str

    @property
    def client(self) -> str:
        """For people: what sends, and from where."""
        return f"{self.headers.get('user-agent', 'no User-Agent')[:80]}, {self.peer}"


@dataclass(frozen=True)
class Response:
    status: int
    content: Mapping[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)


class Endpoint:
    def __init__(
        self,
        settings: IntakeSettings,
        app_key: Callable[[], str],
        log_file: LogFile,
        lack_of_room: Callable[[], str],
        clock: Clock,
        notices: Notices,
    ) -> None:
        self._settings = settings
        self._app_key = app_key
        self._log_file = log_file
        self._lack_of_room = lack_of_room
        self._clock = clock
        self._origins = OriginPolicy(settings.origins, [*settings.hosts, settings.host])
        self._rates = Rates(settings.items_per_second, clock.monotonic, bucket_count=_APPLICATIONS)
        self._notices = notices
        self._large = threading.Lock()

    def early_response(self, head: Head) -> Response | None:
        """The answer that does not depend on the body, if there is one."""
        if (head.method, head.path) == ("GET", "/health"):
            lack = self._lack_of_room()
            return Response(503, {"detail": lack}) if lack else Response(200, {"status": "ok"})
        try:
            self._origins.check(head.headers)
            if not _PATH.fullmatch(head.path):
                raise Refused(404, "unknown path; use /api/<n>/envelope/ or /api/<n>/store/")
            if head.method == "OPTIONS":
                return Response(204, headers=self._origins.cors_headers(head.headers))
            if head.method != "POST":
                raise Refused(405, "method not allowed; use POST", {"Allow": "POST, OPTIONS"})
        except Refused as refusal:
            return self.refuse(head, refusal)
        return None

    def answer(self, head: Head, body: bytes) -> Response:
        """Write a body's items to the log file; only then is it answered with success."""
        try:
            encoding = head.headers.get("content-encoding", "")
            content = content_encoding.decoded(body, encoding, self._settings.max_body_bytes)
            # One after the other: what is made of a large body takes many times its size.
            with self._large if len(content) > _LARGE_BYTES else nullcontext():
                envelope = self._envelope(head, content)
                event_id = envelope.headers.get("event_id")
                self._take(head, envelope)
        except RecursionError:
            return self.refuse(head, Refused(400, "invalid envelope: a header is nested too deeply"))
        except Refused as refusal:
            return self.refuse(head, refusal)
        named = {"id": event_id} if isinstance(event_id, str) else {}
        return Response(200, named, self._origins.cors_headers(head.headers))

    def refuse(self, head: Head, refusal: Refused) -> Response:
        level = logging.ERROR if refusal.status >= 500 else logging.WARNING
        # The first words alone: what comes after them, whoever sends may choose, and each kind is remembered.
        kind = f"{refusal.status} {' '.join(refusal.detail.split()[:2])}"
        self._notices.say(level, kind, f"Intake refused: {refusal.detail} ({head.client})")
        headers = {**self._origins.cors_headers(head.headers), **refusal.headers}
        return Response(refusal.status, {"detail": refusal.detail}, headers)

    def _envelope(self, head: Head, content: bytes) -> Envelope:
        match = _PATH.fullmatch(head.path)
        if match is None or match["kind"] == "envelope":
            return parse(content)
        return envelope_of(content, LINE_MAX_BYTES)

    def _take(self, head: Head, envelope: Envelope) -> None:
        app_key = (
            named_key(head.headers, head.path, head.query, envelope.headers.get("dsn")) or self._app_key()
        )
        self._limit_rate(app_key, len(envelope.items))
        if problem := self._lack_of_room():
            raise Refused(503, problem, {"Retry-After": "60"})
        address = self._client_address(head)
        now = self._clock.now()
        made = [(item, line_of(item, envelope.headers, app_key, address, now)) for item in envelope.items]
        lines = [line for _, line in made if line is not None]
        dropped = [item for item, line in made if line is None]
        report = line_of(client_report(dropped, "too_large", now), {}, app_key, "", now)
        self._append([*lines, report] if dropped and report else lines)
        log.debug("Intake accepted %d items of %s (%s)", len(lines), app_key, head.client)
        self._say_dropped(dropped)
        if dropped and not lines:
            most = max(item_line_max_bytes(item.type) for item in dropped)
            raise Refused(413, f"an item's line exceeds {most} bytes")

    def _client_address(self, head: Head) -> str:
        """Where a request comes from, as far as that tells anything; else empty."""
        address = sender(head.peer, head.headers, self._settings.trusted_proxies)
        # A program of this host: its address would make one visitor of all.
        return "" if address is None or address.is_loopback else str(address)

    def _say_dropped(self, items: list[Item]) -> None:
        for item in items:
            most = item_line_max_bytes(item.type)
            what = f"{item.type} of {len(item.payload)} bytes; its line would exceed {most}"
            self._notices.say(logging.WARNING, "dropped", f"Intake dropped: {what}")

    def _limit_rate(self, app_key: str, count: int) -> None:
        if count > self._rates.burst:
            raise Refused(413, f"the envelope has {count} items; the limit is {self._rates.burst}")
        wait = self._rates.take(app_key, count)
        if wait:
            limit = f"over {self._settings.items_per_second} items per second from one application"
            headers = {"Retry-After": str(wait), "X-Sentry-Rate-Limits": f"{wait}::key"}
            raise Refused(429, f"{limit}; raise intake.rateLimit if this load is expected", headers)

    def _append(self, lines: list[bytes]) -> None:
        try:
            self._log_file.append(lines)
        except OSError as error:
            what = error.strerror or str(error)
            raise Refused(503, f"cannot write the log file: {what}", {"Retry-After": "60"}) from error
