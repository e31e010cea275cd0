"""What a request is answered with; everything but the network."""

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from errata_wire import content_encoding
from errata_wire.address import sender
from errata_wire.envelope import Envelope
from errata_wire.otlp.response import JSON, Answer, refusal
from errata_wire.rate import Rates
from errata_wire.refusal import Refused

from errata_shipper.clock import Clock
from errata_shipper.intake import otlp
from errata_shipper.intake.application_key import named_key
from errata_shipper.intake.notices import Notices
from errata_shipper.intake.origin import OriginPolicy
from errata_shipper.intake.settings import IntakeSettings
from errata_shipper.intake.spool import LargeBodies, Spool, envelope_in, id_of

log = logging.getLogger(__name__)

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
    def signal(self) -> str:
        """Of OpenTelemetry; empty for an envelope."""
        return otlp.signal_in(self.path)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    @property
    def client(self) -> str:
        """For people: what sends, and from where."""
        return f"{self.headers.get('user-agent', 'no User-Agent')[:80]}, {self.peer}"


@dataclass(frozen=True)
class Response:
    """`answer`: a body in the form of its protocol; else `content` is sent as JSON."""

    status: int
    content: Mapping[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    answer: Answer | None = None

    @property
    def body(self) -> Answer | None:
        if self.answer is not None or self.content is None:
            return self.answer
        return Answer(JSON, json.dumps(self.content).encode())


class Endpoint:
    def __init__(
        self,
        settings: IntakeSettings,
        app_key: Callable[[], str],
        spool: Spool,
        clock: Clock,
        notices: Notices,
    ) -> None:
        self._settings = settings
        self._app_key = app_key
        self._spool = spool
        self._large = LargeBodies()
        self._origins = OriginPolicy(settings.origins, [*settings.hosts, settings.host])
        self._rates = Rates(settings.items_per_second, clock.monotonic, bucket_count=_APPLICATIONS)
        self._notices = notices

    def early_response(self, head: Head) -> Response | None:
        """The answer that does not depend on the body, if there is one."""
        if (head.method, head.path) == ("GET", "/health"):
            lack = self._spool.lack
            return Response(503, {"detail": lack}) if lack else Response(200, {"status": "ok"})
        try:
            self._origins.check(head.headers)
            if not _PATH.fullmatch(head.path) and not head.signal:
                raise Refused(
                    404,
                    "unknown path; use /api/<n>/envelope/, /api/<n>/store/, /v1/traces or /v1/logs",
                )
            if head.method == "OPTIONS":
                return Response(204, headers=self._origins.cors_headers(head.headers))
            if head.method != "POST":
                raise Refused(405, "method not allowed; use POST", {"Allow": "POST, OPTIONS"})
        except Refused as refused:
            return self.refuse(head, refused)
        return None

    def max_body_bytes(self, head: Head) -> int:
        """Of a request, as sent and inflated."""
        return self._settings.otlp_max_body_bytes if head.signal else self._settings.max_body_bytes

    def answer(self, head: Head, body: bytes) -> Response:
        """Write a body's items to the log file; only then is it answered with success."""
        encoding = head.headers.get("content-encoding", "")
        try:
            content = content_encoding.decoded(body, encoding, self.max_body_bytes(head))
            with self._large.turn(content):
                response = self._taken(head, content)
        except Refused as refused:
            return self.refuse(head, refused)
        response.headers.update(self._origins.cors_headers(head.headers))
        return response

    def refuse(self, head: Head, refused: Refused) -> Response:
        level = logging.ERROR if refused.status >= 500 else logging.WARNING
        # The first words alone: what comes after them, whoever sends may choose, and each kind is remembered.
        kind = f"{refused.status} {' '.join(refused.detail.split()[:2])}"
        self._notices.say(level, kind, f"Intake refused: {refused.detail} ({head.client})")
        headers = {**self._origins.cors_headers(head.headers), **refused.headers}
        if head.signal:
            return Response(refused.status, None, headers, refusal(refused.detail, head.content_type))
        return Response(refused.status, {"detail": refused.detail}, headers)

    def _taken(self, head: Head, content: bytes) -> Response:
        if head.signal:
            read = otlp.read(head.signal, content, head.content_type)
            self._take(head, read.envelope)
            return Response(200, answer=read.answer)
        match = _PATH.fullmatch(head.path)
        envelope = envelope_in(content, is_event=match is not None and match["kind"] == "store")
        self._take(head, envelope)
        return Response(200, id_of(envelope))

    def _take(self, head: Head, envelope: Envelope) -> None:
        app_key = (
            named_key(head.headers, head.path, head.query, envelope.headers.get("dsn")) or self._app_key()
        )
        self._limit_rate(app_key, len(envelope.items))
        count = self._spool.take(envelope, app_key, self._client_address(head))
        log.debug("Intake accepted %d items of %s (%s)", count, app_key, head.client)

    def _client_address(self, head: Head) -> str:
        """Where a request comes from, as far as that tells anything; else empty."""
        address = sender(head.peer, head.headers, self._settings.trusted_proxies)
        # A program of this host: its address would make one visitor of all.
        return "" if address is None or address.is_loopback else str(address)

    def _limit_rate(self, app_key: str, count: int) -> None:
        if count > self._rates.burst:
            raise Refused(413, f"the envelope has {count} items; the limit is {self._rates.burst}")
        wait = self._rates.take(app_key, count)
        if wait:
            limit = f"over {self._settings.items_per_second} items per second from one application"
            headers = {"Retry-After": str(wait), "X-Sentry-Rate-Limits": f"{wait}::key"}
            raise Refused(429, f"{limit}; raise intake.rateLimit if this load is expected", headers)
