"""Who may write through the application's route, and how much."""

import asyncio
import gzip
import io
import json
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from errata_sdk import tunnel

from tests.wire.bodies import ENCODED

APP_KEY = "errata_app_test"
Lines = Callable[[], list[dict[str, Any]]]
Application = Any
EVENT = b'{"event_id":"9f86d081884c7d659a2feaa0c55ad015"}\n{"type":"event"}\n{"message":"a"}'
SHOP = "https://shop.example.com"


@dataclass
class Answered:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def detail(self) -> str:
        return str(json.loads(self.body)["detail"])


def through_asgi(
    application: Application,
    body: bytes,
    headers: dict[str, str],
    method: str = "POST",
    peer: str = "198.51.100.4",
) -> Answered:
    parts = [body[: len(body) // 2], body[len(body) // 2 :]]
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    encoded = [(name.lower().encode(), text.encode()) for name, text in headers.items()]
    scope = {"type": "http", "method": method, "headers": encoded, "client": (peer, 1)}
    asyncio.run(application(scope, receive, send))
    named = {name.decode(): text.decode() for name, text in sent[0]["headers"]}
    return Answered(sent[0]["status"], named, sent[1]["body"])


def through_wsgi(
    application: Application,
    body: bytes,
    headers: dict[str, str],
    method: str = "POST",
    peer: str = "198.51.100.4",
) -> Answered:
    said: list[Any] = []
    named = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in headers.items()}
    environ = {"REQUEST_METHOD": method, "REMOTE_ADDR": peer, "wsgi.input": io.BytesIO(body), **named}
    if "HTTP_TRANSFER_ENCODING" in environ:
        environ["wsgi.input_terminated"] = True
    else:
        environ["CONTENT_LENGTH"] = str(len(body))
    content = b"".join(application(environ, lambda status, answered: said.extend([status, answered])))
    return Answered(int(said[0].split()[0]), {name.lower(): text for name, text in said[1]}, content)


@dataclass(frozen=True)
class Kind:
    route: Callable[..., Application]
    send: Callable[..., Answered]


@pytest.fixture(
    params=[Kind(tunnel.asgi, through_asgi), Kind(tunnel.wsgi, through_wsgi)], ids=["asgi", "wsgi"]
)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example", "Host": "shop.example.com"},
        {"Origin": "null", "Host": "shop.example.com"},
        {"Origin": "https://shop.example.com:444", "Host": "shop.example.com"},
        {"Origin": "https://shop.example.com.evil.example", "Host": "shop.example.com"},
        {"Origin": SHOP, "Host": "inner:8000"},
        {"Origin": SHOP, "Host": "inner:8000", "X-Forwarded-Host": "shop.example.com"},
        {"Sec-Fetch-Site": "cross-site", "Host": "shop.example.com"},
    ],
    ids=lambda headers: " ".join(headers.values()),
)
def test_a_page_of_another_site_writes_nothing(
    headers: dict[str, str], kind: Kind, logs: Path, lines: Lines
) -> None:
    answer = kind.send(kind.route(APP_KEY, logs), EVENT, headers)
    assert answer.status == 403
    assert "are not allowed" in answer.detail
    assert "access-control-allow-origin" not in answer.headers
    assert lines() == []


@pytest.mark.parametrize(
    ("headers", "options"),
    [
        ({"Origin": SHOP, "Host": "shop.example.com"}, {}),
        ({"Origin": SHOP, "Host": "SHOP.example.com:443"}, {}),
        ({"Origin": "http://localhost:3000", "Host": "localhost:3000"}, {}),
        ({"Host": "shop.example.com"}, {}),
        ({"Origin": SHOP, "Host": "inner:8000", "Sec-Fetch-Site": "same-origin"}, {}),
        (
            {"Origin": SHOP, "Host": "inner:8000", "X-Forwarded-Host": "shop.example.com"},
            {"trusted_proxies": 1},
        ),
        ({"Origin": SHOP, "Host": "api.example.com"}, {"origins": [SHOP]}),
        ({"Origin": SHOP, "Host": "api.example.com"}, {"origins": ["https://*.example.com"]}),
        ({"Origin": "https://any.example", "Host": "api.example.com"}, {"origins": ["*"]}),
    ],
)
def test_the_hosts_own_pages_and_those_listed_write(
    headers: dict[str, str], options: dict[str, Any], kind: Kind, logs: Path, lines: Lines
) -> None:
    application = kind.route(APP_KEY, logs, **options)
    assert (
        kind.send(application, EVENT, {**headers, "Content-Type": "text/plain;charset=UTF-8"}).status == 200
    )
    assert lines()[0]["payload"] == {"message": "a", "event_id": "9f86d081884c7d659a2feaa0c55ad015"}


def test_a_listed_page_of_another_origin_may_ask_first_and_read_the_answer(kind: Kind, logs: Path) -> None:
    application = kind.route(APP_KEY, logs, origins=[SHOP])
    asked = {"Origin": SHOP, "Host": "api.example.com", "Access-Control-Request-Method": "POST"}
    answer = kind.send(application, b"", asked, method="OPTIONS")
    assert (answer.status, answer.headers["access-control-allow-methods"]) == (204, "POST")
    for body in (EVENT, b"nonsense"):
        answer = kind.send(application, body, asked)
        assert answer.headers["access-control-allow-origin"] == SHOP
    refused = kind.send(application, b"", {**asked, "Origin": "https://evil.example"}, method="OPTIONS")
    assert refused.status == 403


def test_the_key_of_the_route_holds_whatever_the_page_names(kind: Kind, logs: Path, lines: Lines) -> None:
    body = b'{"dsn":"https://errata_app_other@errata.invalid/1"}\n{"type":"session"}\n{"sid":"s"}'
    assert (
        kind.send(kind.route(APP_KEY, logs), body, {"X-Sentry-Auth": "Sentry sentry_key=other"}).status == 200
    )
    assert lines()[0]["app_key"] == APP_KEY


def test_bodies_may_be_compressed_and_are_limited_inflated(kind: Kind, logs: Path, lines: Lines) -> None:
    application = kind.route(APP_KEY, logs, max_body_bytes=10_000)
    for encoding, body in ENCODED.items():
        assert kind.send(application, body, {"Content-Encoding": encoding}).status == 200
    assert len(lines()) == len(ENCODED)
    headers = {"Content-Encoding": "gzip"}
    assert kind.send(application, gzip.compress(bytes(10_001)), headers).status == 413
    assert kind.send(application, gzip.compress(EVENT)[:-5], headers).status == 400
    answer = kind.send(application, EVENT, {"Content-Encoding": "lzma"})
    assert (answer.status, answer.headers["accept-encoding"]) == (415, "gzip, deflate, zstd, br")
    assert len(lines()) == len(ENCODED)


def test_bodies_may_come_in_chunks_of_unknown_number(kind: Kind, logs: Path, lines: Lines) -> None:
    application = kind.route(APP_KEY, logs, max_body_bytes=10_000)
    headers = {"Transfer-Encoding": "chunked"}
    assert kind.send(application, EVENT, headers).status == 200
    assert kind.send(application, EVENT + bytes(10_000), headers).status == 413
    assert len(lines()) == 1


def test_a_wsgi_server_that_cannot_say_where_the_body_ends_is_not_read(logs: Path) -> None:
    environ = {"REQUEST_METHOD": "POST", "wsgi.input": io.BytesIO(EVENT)}
    said: list[str] = []
    tunnel.wsgi(APP_KEY, logs)(environ, lambda status, headers: said.append(status))
    assert said == ["411 Length Required"]


def test_one_address_that_sends_too_much_is_told_when_to_go_on(kind: Kind, logs: Path, lines: Lines) -> None:
    application = kind.route(APP_KEY, logs, requests_per_second=0.2)
    for expected in (200, 200, 429):
        answer = kind.send(application, EVENT, {}, peer="198.51.100.7")
        assert answer.status == expected
    assert 1 <= int(answer.headers["retry-after"]) <= 5
    assert kind.send(application, EVENT, {}, peer="198.51.100.8").status == 200
    assert len(lines()) == 3


def test_visitors_behind_a_proxy_are_told_apart_where_it_is_trusted(kind: Kind, logs: Path) -> None:
    trusting = kind.route(APP_KEY, logs, requests_per_second=0.1, trusted_proxies=1)

    def send(forwarded_for: str) -> int:
        return kind.send(trusting, EVENT, {"X-Forwarded-For": forwarded_for}, peer="10.0.0.1").status

    assert [send("198.51.100.7"), send("203.0.113.1, 198.51.100.7")] == [200, 429]
    assert send("198.51.100.7, 203.0.113.1") == 200


def test_a_proxy_that_nobody_told_of_is_not_taken_for_a_visitor(kind: Kind, logs: Path, lines: Lines) -> None:
    application = kind.route(APP_KEY, logs, requests_per_second=0.1)
    body = b'{}\n{"type":"event"}\n{"user":{"id":"7","ip_address":"{{auto}}"}}'
    for peer in ("10.0.0.1", "10.0.0.1", "127.0.0.1", "127.0.0.1"):
        answer = kind.send(application, body, {"X-Forwarded-For": "198.51.100.7"}, peer=peer)
        assert answer.status == 200
    assert {json.dumps(line["payload"]["user"]) for line in lines()} == {'{"id": "7"}'}


def test_an_address_of_ipv6_counts_as_its_network(kind: Kind, logs: Path) -> None:
    application = kind.route(APP_KEY, logs, requests_per_second=0.1)
    peers = ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")
    assert [kind.send(application, EVENT, {}, peer=peer).status for peer in peers] == [200, 429, 200]


def test_origins_are_a_list(logs: Path) -> None:
    with pytest.raises(TypeError, match="origins must be a list"):
        tunnel.asgi(APP_KEY, logs, origins=SHOP)
