"""`--test`: each thing delivery needs, tried on its own and named."""

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from errata_shipper.client import ServerClient, tls_context
from errata_shipper.errors import ServerUnreachable, StoragePathUnusable
from errata_shipper.exit_code import ExitCode
from errata_shipper.settings import Settings
from errata_shipper.storage_path import check_storage_path


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
        parts = urlsplit(settings.base_url)
        self._host = parts.hostname or ""
        self._is_tls = parts.scheme == "https"
        self._port = parts.port or (443 if self._is_tls else 80)

    def findings(self) -> list[Finding]:
        """In the order of delivery; what cannot work because something before it failed is left out."""
        found = [self._write_access()]
        steps: list[Callable[[], Finding]] = [self._dns, self._connection]
        steps += [self._tls] if self._is_tls else []
        steps += [self._api_key, self._application_key]
        for step in steps:
            found.append(step())
            if found[-1].exit_code is not ExitCode.OK:
                break
        return found

    def _write_access(self) -> Finding:
        try:
            check_storage_path(self._settings.storage_path)
        except StoragePathUnusable as error:
            return Finding("Write access", str(error), ExitCode.STORAGE_PATH)
        return Finding("Write access", str(self._settings.storage_path))

    def _dns(self) -> Finding:
        try:
            found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        except OSError as error:
            return self._unreachable(
                "DNS", f"{self._host}: {error.strerror}; check baseUrl and the host's DNS"
            )
        return Finding("DNS", f"{self._host} is {', '.join(sorted({str(entry[4][0]) for entry in found}))}")

    def _connection(self) -> Finding:
        address = f"{self._host} port {self._port}"
        try:
            self._connect().close()
        except TimeoutError:
            return self._unreachable("Connection", f"Connection timeout: {address}; raise timeout")
        except ConnectionRefusedError:
            remedy = "check baseUrl, and that no firewall (outbound 443) or proxy blocks it"
            return self._unreachable("Connection", f"Connection refused: {address}; {remedy}")
        except OSError as error:
            return self._unreachable("Connection", f"{address}: {error.strerror}; check the network")
        return Finding("Connection", address)

    def _tls(self) -> Finding:
        try:
            context = tls_context(self._settings.ca_file)
            with (
                self._connect() as plain,
                context.wrap_socket(plain, server_hostname=self._host) as secure,
            ):
                return Finding("TLS", f"{secure.version()}, certificate accepted")
        except ssl.SSLError as error:
            remedy = "update the CA certificates of this host, or set caFile"
            return self._unreachable("TLS", f"SSL certificate error: {error}; {remedy}")
        except OSError as error:
            return self._unreachable("TLS", f"{error}; check the network")

    def _api_key(self) -> Finding:
        try:
            answer = self._client.verify_key()
        except ServerUnreachable as error:
            return self._unreachable("API key", str(error))
        if answer.status in (401, 403):
            detail = f"Authentication failed: {answer.message or 'Invalid API Key'}; correct apiKey"
            return Finding("API key", detail, ExitCode.KEY_REFUSED)
        if answer.status != 200 or answer.document.get("valid") is not True:
            return self._unreachable("API key", f"answer {answer.status}; check that baseUrl leads to Errata")
        return Finding("API key", f"organization {answer.document.get('organization', 'unnamed')}")

    def _application_key(self) -> Finding:
        try:
            answer = self._client.ingest(b"", "identity", "connection-test", None)
        except ServerUnreachable as error:
            return self._unreachable("Application key", str(error))
        if answer.status in (401, 404):
            detail = f"{answer.message or 'Application Not Found'}; correct appKey"
            return Finding("Application key", detail, ExitCode.KEY_REFUSED)
        if answer.status != 200:
            return self._unreachable("Application key", f"answer {answer.status} {answer.message}; try again")
        return Finding("Application key", "accepted")

    def _connect(self) -> socket.socket:
        return socket.create_connection((self._host, self._port), self._settings.timeout_seconds)

    def _unreachable(self, name: str, detail: str) -> Finding:
        return Finding(name, detail, ExitCode.SERVER_UNREACHABLE)
