"""The one way to ask another service for something over HTTP.

    outgoing = Outgoing(Policy())
    answer = outgoing.request("POST", url, headers={"Content-Type": "application/json"}, body=b"{}")
    answer.status, answer.headers["retry-after"], answer.json()

Addresses are checked where the connection is made, so neither a name that changes its mind nor a redirect
leads inside. Nothing of the environment is heeded: no proxy, no netrc.
"""

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from errata import __version__
from errata.outgoing.connection import Deadline
from errata.outgoing.errors import NotReached, ResponseUnusable
from errata.outgoing.policy import Policy
from errata.outgoing.target import Target

if TYPE_CHECKING:
    import httpcore2

SECONDS = 10.0
ANSWER_MAX_BYTES = 1 << 20
MOVED = (301, 302, 303, 307, 308)
FOLLOWED_METHODS = ("GET", "HEAD")
SECRET_HEADERS = ("authorization", "cookie", "private-token")


@dataclass(frozen=True)
class Response:
    """`headers` have lower-case names. Of a body that is larger than was asked for, its beginning is here."""

    host: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """Raises ResponseUnusable where the body is none, or was cut."""
        if self.is_cut:
            raise ResponseUnusable(self.host, f"the response exceeds {len(self.body)} bytes")
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise ResponseUnusable(self.host, "the response is not JSON") from error


class Outgoing:
    def __init__(self, policy: Policy | None = None, ca_file: Path | None = None) -> None:
        self.policy = policy or Policy()
        self._ca_file = ca_file
        self._context: ssl.SSLContext | None = None

    @property
    def tls(self) -> ssl.SSLContext:
        """The system's authorities, and the operator's own beside them."""
        if self._context is None:
            context = ssl.create_default_context()
            if self._ca_file is not None:
                context.load_verify_locations(self._ca_file)
            self._context = context
        return self._context

    def check(self, url: str) -> None:
        """What can be said of an address before it is used; its name is resolved only then."""
        Target.parsed(url, self.policy).check(self.policy)

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        seconds: float = SECONDS,
        answer_max_bytes: int = ANSWER_MAX_BYTES,
        redirects: int = 0,
    ) -> Response:
        """Raises AddressRefused, NotReached or ResponseUnusable; any status is an answer.

        Up to `redirects` are followed for GET and HEAD, each checked like the first; headers that hold
        secrets stay with the first origin.
        """
        target, sent = Target.parsed(url, self.policy), _headers(headers or {})
        deadline = Deadline.after(seconds, target.host)
        while True:
            answer = self._exchange(method, target, sent, body, deadline, answer_max_bytes)
            if answer.status not in MOVED or redirects <= 0 or method not in FOLLOWED_METHODS:
                return answer
            redirects -= 1
            moved = Target.parsed(urljoin(target.url, answer.headers.get("location", "")), self.policy)
            if moved.origin != target.origin:
                sent = {name: value for name, value in sent.items() if name.lower() not in SECRET_HEADERS}
            target = moved

    def _exchange(
        self,
        method: str,
        target: Target,
        headers: Mapping[str, str],
        body: bytes,
        deadline: Deadline,
        answer_max_bytes: int,
    ) -> Response:
        # A tenth of a second to import, which a service that calls nobody need not spend.
        import httpcore2

        from errata.outgoing.transport import pool

        try:
            with (
                pool(self.policy, deadline, self.tls) as connections,
                connections.stream(
                    method, target.url, headers=_encoded(headers), content=body or None
                ) as response,
            ):
                return _response(target.host, response, answer_max_bytes)
        except ssl.SSLError as error:
            raise NotReached(target.host, _certificate(error)) from error
        except (TimeoutError, httpcore2.TimeoutException) as error:
            raise NotReached(target.host, "timed out") from error
        except (httpcore2.LocalProtocolError, UnicodeError) as error:
            raise ResponseUnusable(target.host, "a request header can't be sent") from error
        except httpcore2.ProtocolError as error:
            raise ResponseUnusable(target.host, "the response is not HTTP") from error
        except (OSError, httpcore2.NetworkError) as error:
            raise NotReached(target.host, "connection lost") from error


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    # Compressed answers are refused beforehand: a small one can unpack to any size.
    return {"User-Agent": f"errata/{__version__}", "Accept-Encoding": "identity", **given}


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]


def _response(host: str, response: "httpcore2.Response", max_bytes: int) -> Response:
    read = bytearray()
    for chunk in response.iter_stream():
        read += chunk
        if len(read) > max_bytes:
            break
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
    return Response(host, response.status, headers, bytes(read[:max_bytes]), len(read) > max_bytes)


def _certificate(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"untrusted certificate: {error.verify_message}"
    return "TLS error"
