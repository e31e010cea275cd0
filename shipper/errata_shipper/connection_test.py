"""`--test`: each thing delivery needs, tried on its own and named."""

import contextlib
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from urllib3.exceptions import HTTPError, ProxyError

from errata_shipper.client import Response, ServerClient, tls_context
from errata_shipper.errors import KeyRefused, ServerUnreachable, StoragePathUnusable
from errata_shipper.exit_code import ExitCode
from errata_shipper.explanation import not_errata, unreachable
from errata_shipper.settings import Settings
from errata_shipper.storage_path import check_storage_path

# What is tried, and how; it says what was found, or raises.
Step = tuple[str, Callable[[], str]]


@dataclass(frozen=True)
class Finding:
    """The outcome of one check: `exit_code` is OK, or why not."""

    name: str
    detail: str
    exit_code: ExitCode = ExitCode.OK


class ConnectionTest:
    def __init__(self, settings: Settings, client: ServerClient) -> None:
        self._settings = settings
        self._client = client
        self._proxy = settings.proxy
        parts = urlsplit(settings.base_url)
        self._host = parts.hostname or ""
        self._is_tls = parts.scheme == "https"
        self._port = parts.port or (443 if self._is_tls else 80)

    def findings(self) -> Iterator[Finding]:
        """In the order of delivery; what cannot work because something before it failed is left out."""
        yield self._write_access()
        for step in self._steps():
            finding = self._finding(step)
            yield finding
            if finding.exit_code is not ExitCode.OK:
                return

    def _steps(self) -> list[Step]:
        steps: list[Step] = [("DNS", self._dns), ("Connection", self._connection)]
        if self._is_tls and self._proxy is None:
            steps += [("TLS", self._tls)]
        elif self._is_tls and self._proxy is not None and not self._proxy.is_tls:
            steps += [("Proxy", self._tunnel), ("TLS", self._tls)]
        return [*steps, ("API key", self._api_key), ("Application key", self._application_key)]

    def _finding(self, step: Step) -> Finding:
        name, attempt = step
        try:
            return Finding(name, attempt())
        except (KeyRefused, ServerUnreachable) as error:
            return Finding(name, str(error), error.exit_code)
        except (OSError, HTTPException, HTTPError) as error:
            problem = unreachable(error, self._settings.base_url, self._proxy)
            return Finding(name, str(problem), problem.exit_code)

    def _write_access(self) -> Finding:
        try:
            check_storage_path(self._settings.storage_path)
        except StoragePathUnusable as error:
            return Finding("Write access", str(error), error.exit_code)
        return Finding("Write access", str(self._settings.storage_path))

    @property
    def _first_hop(self) -> tuple[str, int]:
        return (self._proxy.host, self._proxy.port) if self._proxy else (self._host, self._port)

    def _dns(self) -> str:
        host, port = self._first_hop
        with self._blaming_proxy():
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = ", ".join(dict.fromkeys(str(entry[4][0]) for entry in found))
        whose = f" (proxy from {self._proxy.named_by})" if self._proxy else ""
        return f"{host} is {addresses}{whose}" if host != addresses else f"{host} is an IP address{whose}"

    def _connection(self) -> str:
        host, port = self._first_hop
        with self._blaming_proxy():
            socket.create_connection((host, port), self._settings.timeout_seconds).close()
        return f"{host} port {port}"

    def _tunnel(self) -> str:
        self._connect().close()
        return f"connected to {self._host} port {self._port}"

    def _tls(self) -> str:
        context = tls_context(self._settings.ca_file)
        with self._connect() as plain, context.wrap_socket(plain, server_hostname=self._host) as secure:
            return f"{secure.version()}, certificate accepted"

    def _connect(self) -> socket.socket:
        host, port = self._first_hop
        connection = HTTPConnection(host, port, timeout=self._settings.timeout_seconds)
        if self._proxy is not None:
            connection.set_tunnel(self._host, self._port, self._proxy.headers)
        with self._blaming_proxy():
            connection.connect()
        return connection.sock

    @contextlib.contextmanager
    def _blaming_proxy(self) -> Iterator[None]:
        """What fails on the way to the proxy is the proxy's."""
        try:
            yield
        except OSError as error:
            if self._proxy is None:
                raise
            raise ProxyError("connecting to the proxy", error) from error

    def _api_key(self) -> str:
        answer = self._client.verify_key()
        if answer.status in (401, 403) and answer.error:
            raise KeyRefused(
                f"Authentication failed: {answer.message or 'Invalid API Key'}",
                "set apiKey to the current API key (errata_api_…) from Settings, API keys",
            )
        if answer.status != 200 or answer.document.get("valid") is not True:
            raise self._no_errata(answer)
        return f"organization {answer.document.get('organization', 'unnamed')}"

    def _application_key(self) -> str:
        answer = self._client.ingest(b"", "identity", "connection-test", None)
        if answer.status in (401, 404) and answer.error:
            raise KeyRefused(
                answer.message or "Application Not Found",
                "set appKey to the application key (errata_app_…) from the project settings",
            )
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS and answer.error:
            raise ServerUnreachable(
                "Rate Limited", "sample events or request a higher limit; try again later"
            )
        if not answer.is_of_ingest:
            raise self._no_errata(answer)
        return "accepted"

    def _no_errata(self, answer: Response) -> ServerUnreachable:
        if not answer.error:
            return not_errata(answer.status_line)
        what = f"The server responded with {answer.status} {answer.message}".rstrip()
        return ServerUnreachable(what, "check that baseUrl points to an Errata server and that it is healthy")
