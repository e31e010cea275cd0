"""Delivery through real proxies."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from errata_shipper.client import ServerClient
from errata_shipper.connection_test import ConnectionTest, Finding
from errata_shipper.errors import ServerUnreachable
from errata_shipper.exit_code import ExitCode
from errata_shipper.proxy import Proxy, proxy_at

from tests.shipper.certificates import Authority, needs_openssl
from tests.shipper.hosts import settings_for
from tests.shipper.ingest_server import API_KEY, APP_KEY, IngestServer
from tests.shipper.proxy_server import running_proxy


@contextmanager
def client_through(proxy: Proxy, base_url: str, authority: Authority | None = None) -> Iterator[ServerClient]:
    trusted = str(authority.path) if authority else None
    client = ServerClient(base_url, API_KEY, APP_KEY, timeout_seconds=5, ca_file=trusted, proxy=proxy)
    try:
        yield client
    finally:
        client.close()


def explanation_of(client: ServerClient) -> str:
    with pytest.raises(ServerUnreachable) as caught:
        client.verify_key()
    return str(caught.value)


@pytest.fixture
def tls_url(server: IngestServer, authority: Authority) -> str:
    server.serve_tls(authority.server_context(authority.signed("good")))
    return server.base_url.replace("http://127.0.0.1", "https://localhost")


def test_plain_requests_are_forwarded_by_a_proxy(server: IngestServer) -> None:
    with (
        running_proxy("me:p@ss") as proxy,
        client_through(
            proxy_at(f"http://me:p%40ss@{proxy.place}", "errata.proxy"), server.base_url
        ) as client,
    ):
        assert client.verify_key().status == 200
        assert client.ingest(b'{"n": 1}\n', "identity", "1", None).status == 200
    assert proxy.asked[0] == f"GET {server.base_url}/api/auth/verify HTTP/1.1"
    assert server.stored == [b'{"n": 1}']


@needs_openssl
def test_one_tunnel_carries_many_requests(tls_url: str, server: IngestServer, authority: Authority) -> None:
    with (
        running_proxy("me:secret") as proxy,
        client_through(
            proxy_at(f"http://me:secret@{proxy.place}", "errata.proxy"), tls_url, authority
        ) as client,
    ):
        assert client.verify_key().status == 200
        assert client.ingest(b'{"n": 1}\n', "identity", "1", None).status == 200
    (request_line,) = proxy.asked
    assert request_line.startswith(f"CONNECT {tls_url.removeprefix('https://')} HTTP/1.")
    assert server.connection_count == 1


@needs_openssl
def test_the_proxy_itself_may_speak_tls(tls_url: str, authority: Authority) -> None:
    context = authority.server_context(authority.signed("proxy"))
    with (
        running_proxy(context=context) as proxy,
        client_through(proxy_at(f"https://{proxy.place}", "errata.proxy"), tls_url, authority) as client,
    ):
        assert client.verify_key().status == 200


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tunnel"])
@pytest.mark.parametrize(
    ("credentials", "words"), [("", ["put them in"]), ("me:wrong@", ["put correct ones in"])]
)
def test_a_proxy_that_wants_a_password_is_named(
    server: IngestServer, is_tls: bool, credentials: str, words: Sequence[str]
) -> None:
    base_url = server.base_url.replace("http:", "https:") if is_tls else server.base_url
    with (
        running_proxy("me:secret") as proxy,
        client_through(proxy_at(f"http://{credentials}{proxy.place}", "HTTPS_PROXY"), base_url) as client,
    ):
        explanation = explanation_of(client)
    assert explanation.startswith(
        "Proxy refused the connection: 407 Proxy Authentication Required (proxy localhost:"
    )
    assert "from HTTPS_PROXY" in explanation
    assert all(word in explanation for word in words)
    assert "wrong" not in explanation


def test_a_proxy_that_is_not_there_is_named(server: IngestServer) -> None:
    with client_through(proxy_at("http://127.0.0.1:9", "errata.proxy"), server.base_url) as client:
        explanation = explanation_of(client)
    assert explanation.startswith(
        "Connection refused (proxy 127.0.0.1:9, from errata.proxy); check errata.proxy"
    )


def test_a_proxy_whose_name_is_unknown_is_named(server: IngestServer) -> None:
    with client_through(proxy_at("http://proxy.invalid:3128", "errata.proxy"), server.base_url) as client:
        assert explanation_of(client).startswith(
            "Host name not found (proxy proxy.invalid:3128, from errata.proxy)"
        )


def findings_through(proxy: Proxy, base_url: str, folder: Path, trusted: Path | None = None) -> list[Finding]:
    settings = settings_for(folder, base_url, proxy=proxy, ca_file=str(trusted) if trusted else None)
    client = ServerClient(base_url, API_KEY, APP_KEY, 5, settings.ca_file, proxy)
    found = list(ConnectionTest(settings, client).findings())
    client.close()
    return found


@needs_openssl
def test_the_connection_test_names_the_proxy_too(tls_url: str, authority: Authority, tmp_path: Path) -> None:
    with running_proxy("me:secret") as proxy:
        address = proxy_at(f"http://me:secret@{proxy.place}", "errata.proxy")
        found = findings_through(address, tls_url, tmp_path, authority.path)
    names = ["Write access", "DNS", "Connection", "Proxy", "TLS", "API key", "Application key"]
    assert [finding.name for finding in found] == names
    assert {finding.exit_code for finding in found} == {ExitCode.OK}
    assert found[1].detail.endswith(" (proxy from errata.proxy)")


@needs_openssl
def test_the_connection_test_says_what_is_wrong_with_the_proxy(
    tls_url: str, authority: Authority, tmp_path: Path
) -> None:
    with running_proxy("me:secret") as proxy:
        address = proxy_at(f"http://{proxy.place}", "errata.proxy")
        refused = findings_through(address, tls_url, tmp_path, authority.path)[-1]
    absent = findings_through(proxy_at("http://127.0.0.1:9", "errata.proxy"), tls_url, tmp_path)[-1]
    unknown = findings_through(proxy_at("http://proxy.invalid", "errata.proxy"), tls_url, tmp_path)[-1]
    assert (refused.name, absent.name, unknown.name) == ("Proxy", "Connection", "DNS")
    assert refused.detail.startswith("Proxy refused the connection: 407 Proxy Authentication Required (")
    assert absent.detail.startswith("Connection refused (proxy 127.0.0.1:9, from errata.proxy); ")
    assert unknown.detail.startswith("Host name not found (proxy proxy.invalid:80, from errata.proxy); ")
    assert {refused.exit_code, absent.exit_code, unknown.exit_code} == {ExitCode.SERVER_UNREACHABLE}
