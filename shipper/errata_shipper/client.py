"""The server as the shipper sees it: two requests, answers as values, failures with a remedy."""

import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import urlsplit

import urllib3
from errata_wire.retry_after import retry_after_seconds
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from errata_shipper import __version__
from errata_shipper.explanation import proxy_refused, unreachable
from errata_shipper.proxy import Proxy

_ANSWER_LIMIT = 32 << 20
_MESSAGE_LIMIT = 500
# Requests at once, each on a connection of its own.
MAX_CONCURRENCY = 8
# Whatever an answer asks for: the server is tried again at least this often.
RETRY_AFTER_MAX_SECONDS = 300.0


@dataclass(frozen=True)
class Response:
    status: int
    # The JSON object of the body; empty if the body is none.
    document: Mapping[str, Any] = field(default_factory=dict)
    retry_after: float | None = None
    # The Server header, or the type of the content.
    sender: str = ""

    @property
    def error(self) -> str:
        """The error's stable code; empty if the answer is not of an Errata server."""
        code = self.document.get("error")
        return code if isinstance(code, str) and re.fullmatch(r"[a-z0-9_]{1,60}", code) else ""

    @property
    def is_of_ingest(self) -> bool:
        """Whether a delivery was taken, by an Errata server and nothing before it."""
        return self.status == HTTPStatus.OK and type(self.document.get("accepted")) is int

    @property
    def message(self) -> str:
        """One printable line of bounded length, whatever the server sent: it goes into the log."""
        return _printable(str(self.document.get("message", "")))

    @property
    def status_line(self) -> str:
        """Such as `403 Forbidden (nginx)`, for answers that are not of an Errata server."""
        phrase = next((each.phrase for each in HTTPStatus if each == self.status), "")
        sender = f"({self.sender})" if self.sender else ""
        return " ".join(part for part in (str(self.status), phrase, sender) if part)


class Client(Protocol):
    """What the agent asks of a server. Both raise ServerUnreachable where no answer came."""

    def verify_key(self) -> Response: ...

    def ingest(
        self,
        body: bytes,
        encoding: str,
        batch_id: str,
        source: str | None,
        timeout_seconds: float | None = None,
    ) -> Response: ...


class ServerClient:
    """Kept-alive connections to `base_url`: as many as there are requests at once, thus mostly one."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        app_key: str,
        timeout_seconds: float,
        ca_file: str | None = None,
        proxy: Proxy | None = None,
    ) -> None:
        self.base_url = base_url
        self._timeout_seconds = timeout_seconds
        self._proxy = proxy
        self._pool = _pool(base_url, proxy, ca_file)
        self.use_keys(api_key, app_key)

    def use_keys(self, api_key: str, app_key: str) -> None:
        """From the next request on."""
        self._headers = {"Authorization": f"Bearer {api_key}", "User-Agent": f"errata-shipper/{__version__}"}
        self._app_key = app_key

    def verify_key(self) -> Response:
        return self._request("GET", "/api/auth/verify", None, {}, self._timeout_seconds)

    def ingest(
        self,
        body: bytes,
        encoding: str,
        batch_id: str,
        source: str | None,
        timeout_seconds: float | None = None,
    ) -> Response:
        headers = {
            "X-Errata-App-Key": self._app_key,
            "X-Errata-Batch-Id": batch_id,
            "Content-Type": "application/x-ndjson",
        }
        if source:
            headers["X-Errata-Source"] = source
        if encoding != "identity":
            headers["Content-Encoding"] = encoding
        return self._request("POST", "/api/ingest", body, headers, timeout_seconds or self._timeout_seconds)

    def close(self) -> None:
        self._pool.clear()

    def _request(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], timeout: float
    ) -> Response:
        deadline = time.monotonic() + timeout
        try:
            response = self._pool.urlopen(
                method,
                self.base_url + path,
                body=body,
                headers={**self._headers, **headers},
                timeout=urllib3.Timeout(total=timeout),
                retries=False,
                redirect=False,
                preload_content=False,
            )
            content = _read(response, deadline)
        except (HTTPError, OSError) as error:
            raise unreachable(error, self.base_url, self._proxy) from error
        if response.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED and self._proxy is not None:
            place = urlsplit(self.base_url).netloc
            raise proxy_refused(f"{response.status} {response.reason}", place, self._proxy)
        headers = response.headers
        sender = _printable(headers.get("Server") or headers.get("Content-Type", ""))
        return Response(response.status, _document(content), _retry_after(headers), sender)


def _pool(base_url: str, proxy: Proxy | None, ca_file: str | None) -> urllib3.PoolManager:
    # To read the host's CA certificates takes time and memory.
    is_tls = base_url.startswith("https:") or (proxy is not None and proxy.is_tls)
    context = tls_context(ca_file) if is_tls else None
    if proxy is None:
        return urllib3.PoolManager(num_pools=1, maxsize=MAX_CONCURRENCY, ssl_context=context)
    return urllib3.ProxyManager(
        proxy.url,
        num_pools=1,
        maxsize=MAX_CONCURRENCY,
        proxy_headers=proxy.headers,
        ssl_context=context,
        proxy_ssl_context=context,
    )


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _read(response: BaseHTTPResponse, deadline: float) -> bytes:
    """The whole body; a server that trickles it, or never ends it, is cut off."""
    content = bytearray()
    try:
        while chunk := response.read1(64 << 10):
            content += chunk
            if len(content) > _ANSWER_LIMIT or time.monotonic() > deadline:
                raise TimeoutError("the response was truncated")
    except BaseException:
        response.close()
        raise
    response.release_conn()
    return bytes(content)


def _document(content: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _printable(text: str) -> str:
    words = " ".join(text[:_MESSAGE_LIMIT].split())
    return "".join(character for character in words if character.isprintable())


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """None if the server names no time to come."""
    seconds = retry_after_seconds(headers.get("Retry-After", ""), headers.get("Date", ""))
    return min(seconds, RETRY_AFTER_MAX_SECONDS) if seconds else None
