"""The provider as it describes itself: endpoints by discovery, signing keys by JWKS. Both are cached."""

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from api.oidc.errors import ProviderUnreachable
from errata.outgoing import Outgoing, Response
from errata.outgoing.connection import Deadline
from errata.outgoing.errors import OutgoingFailed

if TYPE_CHECKING:
    from joserfc.jwk import Key

log = logging.getLogger("api")

CACHED_SECONDS = 3600
# Providers rotate keys, so an unknown one is asked for at once; forged tokens may not cause that often.
KEYS_AGAIN_SECONDS = 30
# Of all requests of one step together. A page has ten seconds.
STEP_SECONDS = 7.0
ANSWER_MAX_BYTES = 256 << 10
KEYS_MAX = 100
KEY_TYPES = ("RSA", "EC")


@dataclass(frozen=True)
class Metadata:
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    token_auth_methods: tuple[str, ...]


class Step:
    """The requests of one step of a sign-in, which share a deadline."""

    def __init__(self, outgoing: Outgoing, host: str) -> None:
        self._outgoing = outgoing
        self._deadline = Deadline.after(STEP_SECONDS, host)

    def ask(
        self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> Response:
        """Any status is an answer. Raises ProviderUnreachable."""
        try:
            return self._outgoing.request(
                method,
                url,
                headers={"Accept": "application/json", **(headers or {})},
                body=body,
                seconds=self._deadline.remaining(),
                answer_max_bytes=ANSWER_MAX_BYTES,
            )
        except OutgoingFailed as error:
            raise ProviderUnreachable(str(error)) from error

    def document(self, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        answer = self.ask("GET", url, headers)
        if not answer.is_success:
            raise ProviderUnreachable(f"{answer.host} responded with status {answer.status}")
        try:
            found = answer.json()
        except (OutgoingFailed, RecursionError) as error:
            raise ProviderUnreachable(str(error)) from error
        if not isinstance(found, dict):
            raise ProviderUnreachable(f"{answer.host}: the response is not a JSON object")
        return found


class Provider:
    """Thread-safe; caches for this node."""

    def __init__(self, issuer: str, outgoing: Outgoing) -> None:
        self.issuer = issuer
        self._outgoing = outgoing
        self._metadata: tuple[float, Metadata] | None = None
        self._keys: tuple[float, list[Key]] | None = None
        self._lock = threading.Lock()

    def step(self) -> Step:
        return Step(self._outgoing, urlsplit(self.issuer).hostname or self.issuer)

    def metadata(self, step: Step) -> Metadata:
        """Raises ProviderUnreachable."""
        cached = self._metadata
        if cached is not None and time.monotonic() - cached[0] < CACHED_SECONDS:
            return cached[1]
        found = step.document(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != self.issuer:
            raise ProviderUnreachable(f"its issuer is {str(found.get('issuer'))[:200]!r}")
        methods = found.get("token_endpoint_auth_methods_supported")
        metadata = Metadata(
            self._address(found, "authorization_endpoint"),
            self._address(found, "token_endpoint"),
            self._address(found, "jwks_uri"),
            self._address(found, "userinfo_endpoint") if "userinfo_endpoint" in found else "",
            tuple(str(method) for method in methods) if isinstance(methods, list) else (),
        )
        self._metadata = (time.monotonic(), metadata)
        return metadata

    def keys(self, step: Step, *, again: bool = False) -> "list[Key]":
        """The keys that sign; `again`: not from the cache, if it is older than a moment."""
        usable_seconds = KEYS_AGAIN_SECONDS if again else CACHED_SECONDS
        with self._lock:
            cached = self._keys
        if cached is not None and time.monotonic() - cached[0] < usable_seconds:
            return cached[1]
        found = _signing_keys(step.document(self.metadata(step).jwks_uri))
        with self._lock:
            self._keys = (time.monotonic(), found)
        return found

    def _address(self, found: Mapping[str, Any], name: str) -> str:
        address = found.get(name)
        schemes = ("https", "http") if self._outgoing.policy.allows_http else ("https",)
        if not isinstance(address, str) or urlsplit(address).scheme not in schemes:
            raise ProviderUnreachable(f"its {name} is not an HTTPS address")
        return address


def _signing_keys(document: Mapping[str, Any]) -> "list[Key]":
    """Keys that are not understood are left out (RFC 7517, section 5)."""
    # A quarter of a second to import, which a service without a provider need not spend.
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry

    listed = document.get("keys")
    found: list[Key] = []
    for each in listed[:KEYS_MAX] if isinstance(listed, list) else ():
        if not isinstance(each, dict) or each.get("kty") not in KEY_TYPES or each.get("use") == "enc":
            continue
        try:
            found.append(JWKRegistry.import_key(each))
        except (JoseError, ValueError, TypeError, KeyError) as error:
            log.warning("A key of the sign-in provider can't be used: %s", error)
    return found
