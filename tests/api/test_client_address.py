"""Whose request it is: only trusted proxies say so, and what they say is an address."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from uvicorn.main import main as uvicorn_command

import dashboards.app
from api.app import create_app
from api.client_address import TrustedProxies, address_of
from api.settings import ApiSettings
from errata.alerts.mail import MailServer
from errata.outgoing.policy import parsed_networks
from errata.state import Store
from errata.state.database import utc_now
from errata.up.web import web_arguments
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, Prepared
from tests.cases import each

PROXY, CLIENT = "127.0.0.1", "203.0.113.7"
TRUSTED = "127.0.0.1, ::1, 10.1.0.0/28"


def told(trusted: str, peer: str, *lines: str, scheme: str = "") -> tuple[str, str]:
    """Address and scheme of a request from the peer, with these headers X-Forwarded-For."""
    found: list[tuple[str, str]] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append((address_of(scope), scope["scheme"]))

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        pass

    headers = [(b"x-forwarded-for", line.encode("latin-1")) for line in lines]
    if scheme:
        headers.append((b"x-forwarded-proto", scheme.encode()))
    scope = {"type": "http", "client": (peer, 4711), "scheme": "http", "headers": headers}
    asyncio.run(TrustedProxies(app, parsed_networks(trusted))(scope, receive, send))
    return found[0]


@each("peer", [PROXY, "::1", "::ffff:127.0.0.1", "10.1.0.9", CLIENT])
def test_nobody_is_believed_without_the_setting(peer: str) -> None:
    own = peer.removeprefix("::ffff:")
    for line in ("198.51.100.1", "<script>", "", "198.51.100.1, 10.1.0.1"):
        assert told("", peer, line, scheme="https") == (own, "http")


@pytest.mark.parametrize(
    ("peer", "lines", "address"),
    [
        (PROXY, [CLIENT], CLIENT),
        ("::1", [CLIENT], CLIENT),
        ("::ffff:10.1.0.9", [CLIENT], CLIENT),
        # Whatever the client sent stands before the address that the proxy appended.
        (PROXY, [f"198.51.100.1, {CLIENT}"], CLIENT),
        (PROXY, ["198.51.100.1", CLIENT], CLIENT),
        (PROXY, [f"127.0.0.1, 10.1.0.1, {CLIENT}"], CLIENT),
        # Of several proxies each appends the one before it.
        (PROXY, [f"198.51.100.1, {CLIENT}, 10.1.0.3, 10.1.0.4"], CLIENT),
        (PROXY, [f"{CLIENT}, 10.1.0.99"], "10.1.0.99"),
        (PROXY, [f"{CLIENT}:52114"], CLIENT),
        (PROXY, ["[2001:db8::7]:443"], "2001:db8::7"),
        (PROXY, ["2001:db8::7"], "2001:db8::7"),
        (PROXY, ["::ffff:203.0.113.7"], CLIENT),
        (PROXY, ["fe80::1%<script>"], "fe80::1"),
        # What is no address is nobody: the request is the proxy's that says so.
        (PROXY, ["<script>alert(1)</script>"], PROXY),
        (PROXY, [f"{CLIENT}, unknown"], PROXY),
        (PROXY, [f"{CLIENT}, <script>, 10.1.0.4"], "10.1.0.4"),
        (PROXY, [f"{CLIENT},"], PROXY),
        (PROXY, ["\xe4"], PROXY),
        (PROXY, [""], PROXY),
        (PROXY, [], PROXY),
        (PROXY, ["10.1.0.4, 10.1.0.5"], "10.1.0.4"),
        # Not a proxy.
        ("10.1.0.99", [CLIENT], "10.1.0.99"),
        ("testclient", [CLIENT], ""),
    ],
)
def test_the_last_address_that_no_trusted_proxy_has(peer: str, lines: Sequence[str], address: str) -> None:
    assert told(TRUSTED, peer, *lines)[0] == address


@each(
    ("said", "scheme"),
    [
        ("https", "https"),
        ("HTTPS", "https"),
        ("http, https", "https"),
        ("https, http", "http"),
        ("ftp", "http"),
    ],
)
def test_the_scheme_is_the_nearest_proxys(said: str, scheme: str) -> None:
    assert told(TRUSTED, PROXY, CLIENT, scheme=said) == (CLIENT, scheme)
    assert told(TRUSTED, CLIENT, scheme=said) == (CLIENT, "http")


def test_the_web_server_believes_no_header_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    arguments = web_arguments("127.0.0.1", 8000, None, None)
    assert arguments[:2] == ["-m", "uvicorn"]
    assert uvicorn_command.make_context("uvicorn", arguments[2:]).params["proxy_headers"] is False


@contextmanager
def pages(store: Store, trusted: str, peer: str) -> Iterator[TestClient]:
    away = Warehouse(NOWHERE)
    mail = MailServer("mail.invalid", 25, "none", "", SecretStr(""), "errata@example.org", is_operators=True)
    networks = parsed_networks(trusted)
    mounted = create_app(ApiSettings(), store, away, away, mail=mail, trusted_proxies=networks)
    app: FastAPI = dashboards.app.create_app(mounted)
    with TestClient(app, client=(peer, 5), follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


LIMITED: Mapping[str, tuple[str, str, int]] = {
    "a one-time link": ("GET", f"/link/{'x' * 40}", 30),
    "a share link": ("GET", f"/shared/{'x' * 40}", 60),
    "a password link": ("POST", "/api/auth/forgot", 10),
    "use of a one-time link": ("POST", "/api/auth/link", 30),
}


def rotated(client: TestClient, method: str, path: str, count: int, address: str) -> list[int]:
    """The statuses of requests, each from another address by its header."""
    json = {"email": "x@example.org", "token": "x" * 40, "password": "a long password"}
    return [
        client.request(
            method,
            path,
            headers={"X-Forwarded-For": address.format(number)},
            json={name: json[name] for name in (["email"] if "forgot" in path else ["token", "password"])}
            if method == "POST"
            else None,
        ).status_code
        for number in range(count)
    ]


@pytest.mark.parametrize("limited", LIMITED)
def test_a_rotated_header_passes_no_limit(
    store: Store, limited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = utc_now()
    monkeypatch.setattr(store.database, "clock", lambda: now)
    method, path, most = LIMITED[limited]
    with pages(store, "", PROXY) as client:
        assert rotated(client, method, path, most + 1, "198.51.100.{}")[-1] == 429
    # Behind a trusted proxy neither does what the client puts before the address of the proxy, nor its /64.
    with pages(store, PROXY, PROXY) as client:
        assert 429 not in rotated(client, method, path, most, "{0}.51.100.1, 203.0.113.9")
        assert rotated(client, method, path, 1, "9.9.9.9, 203.0.113.9") == [429]
        assert 429 not in rotated(client, method, path, most, "2001:db8::{0}")
        assert rotated(client, method, path, 1, "2001:db8::ffff") == [429]
        assert 429 not in rotated(client, method, path, 1, "203.0.113.10")


@pytest.mark.parametrize(
    ("trusted", "header", "address"),
    [
        ("", "<script>alert(1)</script>", PROXY),
        ("", CLIENT, PROXY),
        (PROXY, "<script>alert(1)</script>", PROXY),
        (PROXY, f"<script>, {CLIENT}", CLIENT),
    ],
)
def test_the_activity_log_has_addresses_alone(
    store: Store, prepared: Prepared, trusted: str, header: str, address: str
) -> None:
    account = prepared.account
    with pages(store, trusted, PROXY) as client:
        headers = {"X-Forwarded-For": header, "X-Forwarded-Proto": "https"}
        given = {"email": account.email, "password": account.password}
        answer = client.post("/api/auth/sign-in", json=given, headers=headers)
        assert answer.status_code == 200
        # The cookie is Secure where the browser came by HTTPS.
        assert ("Secure" in answer.headers["set-cookie"]) is bool(trusted)
    assert store.activity.entries(1, kind="user")[0].address == address


def test_pages_and_the_api_below_them_look_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Scope] = []

    def address(scope: Scope) -> str:
        looked.append(scope)
        return PROXY

    monkeypatch.setattr("api.client_address.address_of", address)
    with pages(store, PROXY, PROXY) as browser:
        for count, path in enumerate(("/sign-in", "/api/auth/session", "/static/none.css"), start=1):
            browser.get(path, headers={"X-Forwarded-For": CLIENT})
            assert len(looked) == count, path


@pytest.mark.parametrize("trusted", ["", PROXY])
@pytest.mark.parametrize(
    "name", ["Forwarded", "X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP", "X-Forwarded"]
)
def test_no_other_header_names_an_address(store: Store, prepared: Prepared, trusted: str, name: str) -> None:
    account = prepared.account
    with pages(store, trusted, PROXY) as client:
        headers = {name: f"for={CLIENT};proto=https" if name == "Forwarded" else CLIENT}
        given = {"email": account.email, "password": account.password}
        answer = client.post("/api/auth/sign-in", json=given, headers=headers)
        assert answer.status_code == 200 and "Secure" not in answer.headers["set-cookie"]
    assert store.activity.entries(1, kind="user")[0].address == PROXY
