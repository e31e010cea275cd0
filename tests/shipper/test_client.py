import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from errata_shipper.client import ServerClient
from errata_shipper.errors import ServerUnreachable

from tests.shipper.ingest_server import API_KEY, APP_KEY, IngestServer

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


def client_of(base_url: str, timeout_seconds: float = 5, ca_file: str | None = None) -> ServerClient:
    return ServerClient(base_url, API_KEY, APP_KEY, timeout_seconds, ca_file)


@contextmanager
def answering_with(pieces: list[bytes], pause_seconds: float) -> Iterator[str]:
    """A server that sends an answer piece by piece to whoever connects."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                for piece in pieces:
                    try:
                        connection.sendall(piece)
                    except OSError:
                        return
                    time.sleep(pause_seconds)

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def explanation_of(client: ServerClient) -> str:
    with pytest.raises(ServerUnreachable) as caught:
        client.verify_key()
    client.close()
    return str(caught.value)


@pytest.fixture
def tls_server(server: IngestServer, tmp_path: Path) -> tuple[str, str]:
    """The address of the server behind TLS, and the certificate to trust."""
    certificate, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", key, "-out", certificate]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.serve_tls(context)
    return server.base_url.replace("http://127.0.0.1", "https://localhost"), certificate


@needs_openssl
def test_a_certificate_of_an_own_authority_is_trusted_through_ca_file(tls_server: tuple[str, str]) -> None:
    base_url, certificate = tls_server
    client = client_of(base_url, ca_file=certificate)
    assert client.verify_key().status == 200
    client.close()


@needs_openssl
def test_a_certificate_nobody_vouches_for_is_refused_with_the_remedy(tls_server: tuple[str, str]) -> None:
    explanation = explanation_of(client_of(tls_server[0]))
    assert explanation.startswith("SSL certificate error")
    assert explanation.endswith("update the CA certificates of this host, or set caFile")


def test_an_answer_that_does_not_come_in_time_is_a_timeout() -> None:
    with answering_with([b""], pause_seconds=0.4) as base_url:
        explanation = explanation_of(client_of(base_url, timeout_seconds=0.2))
    assert explanation.startswith("Connection timeout")
    assert "raise timeout" in explanation


def test_an_answer_that_trickles_is_cut_off_at_the_timeout() -> None:
    pieces = [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", *[b"x"] * 12]
    started = time.monotonic()
    with answering_with(pieces, pause_seconds=0.06) as base_url:
        explanation = explanation_of(client_of(base_url, timeout_seconds=0.2))
        assert time.monotonic() - started < 0.6
    assert explanation.startswith("Connection timeout")


@pytest.mark.parametrize(
    "answer",
    [b"", b"not http\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
    ids=["closed", "not HTTP", "torn"],
)
def test_an_answer_that_breaks_off_is_no_answer(answer: bytes) -> None:
    with answering_with([answer], pause_seconds=0) as base_url:
        assert explanation_of(client_of(base_url)).startswith("Connection failed")


def test_an_address_that_does_not_exist_is_named() -> None:
    explanation = explanation_of(client_of("https://errata.invalid"))
    assert explanation.startswith("Host name not found (errata.invalid)")
