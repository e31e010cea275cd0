"""What a browser's request is answered with, whatever server brings it."""

import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from errata_wire.address import network
from errata_wire.content_encoding import decoded
from errata_wire.limits import TUNNEL_BODY_MAX_BYTES
from errata_wire.rate import Rates
from errata_wire.refusal import Refused

from errata_sdk.log_file import LogFile
from errata_sdk.tunnel.lines import append_envelope
from errata_sdk.tunnel.rules import Rules

# Whose rates are remembered.
_ADDRESSES = 10_000


@dataclass(frozen=True)
class Request:
    """A request without its body; names of headers in lower case."""

    method: str
    peer: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Response:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Tunnel:
    """Where browsers' envelopes go."""

    def __init__(
        self,
        app_key: str,
        storage_path: str | PathLike[str],
        max_body_bytes: int = TUNNEL_BODY_MAX_BYTES,
        rules: Rules | None = None,
    ) -> None:
        # The route's key holds, whatever key the page names: a page writes to its own project only.
        self.app_key = app_key
        self.log_file = LogFile(Path(storage_path).absolute())
        self.rules = rules or Rules(max_body_bytes)
        self._rates = Rates(self.rules.requests_per_second, bucket_count=_ADDRESSES)

    def early_answer(self, request: Request) -> Response | None:
        """The answer that does not depend on the body, if there is one."""
        try:
            if request.method not in ("POST", "OPTIONS"):
                raise Refused(405, f"{request.method} is not POST", {"Allow": "POST, OPTIONS"})
            self.rules.check_origin(request.headers)
            if request.method == "OPTIONS":
                return Response(204, headers=self.rules.cors_headers(request.headers))
            self._limit_rate(self.rules.client_address(request.peer, request.headers))
        except Refused as refusal:
            return self.refuse(request, refusal)
        return None

    def answer(self, request: Request, body: bytes) -> Response:
        """Write a body's items."""
        address = self.rules.client_address(request.peer, request.headers)
        encoding = request.headers.get("content-encoding", "")
        try:
            content = decoded(body, encoding, self.rules.max_body_bytes)
            append_envelope(content, self.app_key, self.log_file, address)
        except Refused as refusal:
            return self.refuse(request, refusal)
        # Also when the disk is full: a browser that tries again would only make it worse.
        return Response(200, headers=self.rules.cors_headers(request.headers))

    def refuse(self, request: Request, refusal: Refused) -> Response:
        headers = {
            "Content-Type": "application/json",
            **self.rules.cors_headers(request.headers),
            **refusal.headers,
        }
        return Response(refusal.status, json.dumps({"detail": refusal.detail}).encode(), headers)

    def _limit_rate(self, address: str) -> None:
        """Of addresses that are a visitor's: those of a proxy of this host would be that of all."""
        is_visitor = address and not ipaddress.ip_address(address).is_loopback
        wait = self._rates.take(network(address)) if is_visitor else 0
        if wait:
            raise Refused(429, "too many requests from this address", {"Retry-After": str(wait)})
