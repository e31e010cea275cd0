"""The server behind TLS, with certificates that are good and with those that are not."""

import socket
import ssl
from pathlib import Path

import pytest
from errata_shipper.client import ServerClient, tls_context
from errata_shipper.errors import ServerUnreachable
from errata_shipper.explanation import unreachable

from tests.shipper.certificates import Authority, needs_openssl
from tests.shipper.ingest_server import API_KEY, APP_KEY, IngestServer

pytestmark = needs_openssl


def verify(base_url: str, trusted: Path) -> int:
    client = ServerClient(base_url, API_KEY, APP_KEY, timeout_seconds=5, ca_file=str(trusted))
    try:
        return client.verify_key().status
    finally:
        client.close()


def explanation_of(base_url: str, trusted: Path) -> str:
    with pytest.raises(ServerUnreachable) as caught:
        verify(base_url, trusted)
    return str(caught.value)


def served_with(server: IngestServer, context: ssl.SSLContext) -> str:
    server.serve_tls(context)
    return server.base_url.replace("http://127.0.0.1", "https://localhost")


def test_a_certificate_of_an_own_authority_is_trusted_through_ca_file(
    server: IngestServer, authority: Authority
) -> None:
    base_url = served_with(server, authority.server_context(authority.signed("good")))
    assert verify(base_url, authority.path) == 200


def test_a_certificate_that_has_expired_is_named(server: IngestServer, authority: Authority) -> None:
    base_url = served_with(server, authority.server_context(authority.signed("expired", days=-1)))
    explanation = explanation_of(base_url, authority.path)
    assert explanation.startswith("SSL certificate error: certificate has expired (localhost:")
    assert "renew the certificate on the server" in explanation


def test_a_certificate_for_another_host_is_named(server: IngestServer, authority: Authority) -> None:
    context = authority.server_context(authority.signed("elsewhere", host="elsewhere.example.com"))
    explanation = explanation_of(served_with(server, context), authority.path)
    assert explanation.startswith("SSL certificate error: Hostname mismatch")
    assert explanation.endswith("set baseUrl to a host name in the certificate")


def test_an_authority_that_breaks_the_rules_is_named(server: IngestServer, tmp_path: Path) -> None:
    authority = Authority(tmp_path, extensions="nsComment=of-old")
    served_with(server, authority.server_context(authority.signed("strict")))
    strict = tls_context(str(authority.path))
    # As Python 3.13 has it by itself.
    strict.verify_flags |= ssl.VERIFY_X509_STRICT
    address = ("127.0.0.1", int(server.base_url.rpartition(":")[2]))
    with socket.create_connection(address) as plain, pytest.raises(ssl.SSLCertVerificationError) as caught:
        strict.wrap_socket(plain, server_hostname="localhost")
    explanation = str(unreachable(caught.value, "https://localhost", None))
    assert explanation.startswith(
        "SSL certificate error: CA cert does not include key usage extension (localhost)"
    )
    assert "according to RFC 5280" in explanation


def test_a_certificate_that_vouches_for_itself_is_named(server: IngestServer, authority: Authority) -> None:
    context = authority.server_context(authority.self_signed("itself"))
    explanation = explanation_of(served_with(server, context), authority.path)
    assert explanation.startswith("SSL certificate error: self-signed certificate (")
    assert "update this host's CA certificates (package ca-certificates)" in explanation


def test_a_certificate_of_an_unknown_authority_is_named(server: IngestServer, authority: Authority) -> None:
    base_url = served_with(server, authority.server_context(authority.signed("good")))
    explanation = explanation_of(base_url, authority.self_signed("another"))
    assert explanation.startswith("SSL certificate error: unable to get local issuer certificate (")
    assert explanation.endswith("or set caFile to the authority's certificate")


def test_a_server_without_tls_is_named(server: IngestServer, authority: Authority) -> None:
    explanation = explanation_of(server.base_url.replace("http:", "https:"), authority.path)
    assert explanation.startswith("TLS failed: the server doesn't use TLS on this port (127.0.0.1:")
    assert explanation.endswith("correct baseUrl")


# The old version is offered on purpose.
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated:DeprecationWarning")
def test_nothing_older_than_tls_1_2_is_spoken(server: IngestServer, authority: Authority) -> None:
    assert tls_context(None).minimum_version is ssl.TLSVersion.TLSv1_2
    context = authority.server_context(authority.signed("good"))
    # OpenSSL signs nothing for the old version at its usual level of security.
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    explanation = explanation_of(served_with(server, context), authority.path)
    assert explanation.startswith("TLS failed: the server doesn't support TLS 1.2 or later (")
