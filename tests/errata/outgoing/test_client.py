import gzip
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errata.outgoing import Outgoing, Policy
from errata.outgoing.errors import AddressRefused, NotReached, ResponseUnusable
from errata.outgoing.policy import parsed_networks
from tests.cases import each
from tests.errata.outgoing.servers import Asked, Reply, serving
from tests.shipper.certificates import Authority, needs_openssl

LOOPBACK = Policy(parsed_networks("127.0.0.0/8, ::1"), allows_http=True)
HTTP_ONLY = Policy(allows_http=True)


@pytest.fixture
def inside() -> Outgoing:
    return Outgoing(LOOPBACK)


def test_a_request_arrives_as_it_was_meant(inside: Outgoing) -> None:
    with serving(lambda asked: Reply(201, {"X-Made": "yes"}, b'{"id": 7}')) as server:
        answer = inside.request("POST", f"{server.url}/a%20b?q=ü", headers={"X-Key": "k"}, body=b"hello")
    assert (answer.status, answer.headers["x-made"], answer.json()) == (201, "yes", {"id": 7})
    [asked] = server.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/a%20b?q=%C3%BC", b"hello")
    assert asked.headers["x-key"] == "k" and asked.headers["content-length"] == "5"
    assert asked.headers["host"] == server.url.removeprefix("http://")


@each(
    "host",
    "127.0.0.1 2130706433 0x7f.1 0177.0.0.1 127.1 0 localhost [::1] [::ffff:127.0.0.1] [::ffff:7f00:1]"
    " [0:0::1] ①②⑦.0.0.1".split(),
)
def test_every_way_to_write_loopback_is_refused(host: str) -> None:
    with serving() as server:
        port = server.url.rpartition(":")[2]
        with pytest.raises(AddressRefused):
            Outgoing(HTTP_ONLY).request("GET", f"http://{host}:{port}/")
    assert not server.asked


@each(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://",
        "https://user:password@example.org/",
        "https://example.org:99999/",
        "https://[::1/",
        "example.org",
        "https://exa mple.org/",
        "https://example.org/\r\nX: y",
        "https://" + "a" * 2001,
        "https://192.168.0.1/",
        "https://[fe80::1]/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://0X7F000001/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://127.1./",
        "https://127。1/",
        "https://0/",
        "https://２１３０７０６４３３/",
        "https://①②⑦.0.0.1/",
        "https://localhost/",
        "https://ops.LOCALHOST./",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[fe80::1%25eth0]/",
        "https://1.2.3.4.5/",
        "https://4294967296/",
        "https://0x/",
        "https://%31%32%37.0.0.1/",
        "https://a..example/",
        "https://example.org:0/",
    ],
)
def test_what_is_no_address_of_a_public_https_server_is_said_before_it_is_saved(url: str) -> None:
    with pytest.raises(AddressRefused):
        Outgoing().check(url)


def test_a_name_is_resolved_once_so_that_a_second_answer_leads_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving() as server:
        asked: list[str] = []

        def rebinding(host: str, port: int, **_options: Any) -> list[Any]:
            asked.append(host)
            address = "203.0.113.9" if len(asked) == 1 else "127.0.0.1"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

        monkeypatch.setattr(socket, "getaddrinfo", rebinding)
        outgoing = Outgoing(Policy(parsed_networks("203.0.113.9"), allows_http=True))
        with pytest.raises(NotReached):
            outgoing.request("GET", server.url.replace("localhost", "rebind.example"), seconds=0.3)
    assert asked.count("rebind.example") == 1 and not server.asked


def test_a_name_with_a_public_and_a_private_address_never_leads_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving() as server:

        def both(_host: str, port: int, **_options: Any) -> list[Any]:
            addresses = ("203.0.113.9", "127.0.0.1")
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

        monkeypatch.setattr(socket, "getaddrinfo", both)
        outgoing = Outgoing(Policy(parsed_networks("203.0.113.9"), allows_http=True))
        with pytest.raises(NotReached):
            outgoing.request("GET", server.url, seconds=0.3)
    assert not server.asked


def test_a_redirect_is_an_answer_unless_asked_for(inside: Outgoing) -> None:
    with serving(lambda asked: Reply(302, {"Location": "/there"})) as server:
        assert inside.request("GET", server.url).status == 302
        assert inside.request("POST", server.url, redirects=3).status == 302
    assert [asked.path for asked in server.asked] == ["/", "/"]


def test_a_followed_redirect_is_checked_like_the_first_address() -> None:
    with serving(lambda asked: Reply(302, {"Location": "http://127.0.0.1:1/"})) as server:
        policy = Policy(parsed_networks("::1, 127.0.0.1"), allows_http=True)
        with pytest.raises(NotReached):
            Outgoing(policy).request("GET", server.url, redirects=3)
    with serving(lambda asked: Reply(302, {"Location": "http://169.254.169.254/"})) as server:
        with pytest.raises(AddressRefused):
            Outgoing(policy).request("GET", server.url, redirects=3)
        assert len(server.asked) == 1
    to_a_file = Reply(302, {"Location": "file:///etc/passwd"})
    with serving(lambda asked: to_a_file) as server, pytest.raises(AddressRefused):
        Outgoing(policy).request("GET", server.url, redirects=3)


def test_a_token_stays_with_its_origin(inside: Outgoing) -> None:
    def moved(asked: Asked) -> Reply:
        if asked.path == "/":
            return Reply(301, {"Location": "/same"})
        return Reply(301, {"Location": f"{other.url}/other"})

    with serving() as other, serving(moved) as server:
        answer = inside.request("GET", server.url, headers={"Authorization": "Bearer t"}, redirects=3)
    assert answer.status == 200
    assert [asked.headers.get("authorization") for asked in server.asked] == ["Bearer t", "Bearer t"]
    assert "authorization" not in other.asked[0].headers


def test_of_a_large_answer_only_the_beginning_is_read(inside: Outgoing) -> None:
    with serving(lambda asked: Reply(200, {}, b"x" * 5_000_000)) as server:
        answer = inside.request("GET", server.url, answer_max_bytes=1000)
    assert answer.is_success and answer.is_cut and answer.body == b"x" * 1000
    with pytest.raises(ResponseUnusable, match="exceeds"):
        answer.json()


def test_a_compressed_answer_is_never_unpacked(inside: Outgoing) -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    with serving(lambda asked: Reply(200, {"Content-Encoding": "gzip"}, bomb)) as server:
        answer = inside.request("GET", server.url)
    assert server.asked[0].headers["accept-encoding"] == "identity"
    assert answer.body == bomb
    with pytest.raises(ResponseUnusable):
        answer.json()


def spoken(speak: Callable[[socket.socket], None]) -> tuple[str, threading.Thread]:
    """A server of one connection, for what no HTTP server would say."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"

    def serve() -> None:
        with listener, listener.accept()[0] as connection:
            connection.recv(4096)
            try:
                speak(connection)
            except OSError:
                pass

    thread = threading.Thread(target=serve)
    thread.start()
    return address, thread


def test_a_server_that_sends_a_byte_at_a_time_is_left_at_the_deadline(inside: Outgoing) -> None:
    def drip(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        for _ in range(100):
            connection.sendall(b"X: y\r\n")
            time.sleep(0.05)

    address, thread = spoken(drip)
    began = time.monotonic()
    with pytest.raises(NotReached, match="timed out"):
        inside.request("GET", address, seconds=0.4)
    assert time.monotonic() - began < 3
    thread.join()


@pytest.mark.parametrize(
    "said", [b"hello\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort", b""]
)
def test_an_answer_that_is_not_http_is_an_error(inside: Outgoing, said: bytes) -> None:
    address, thread = spoken(lambda connection: connection.sendall(said))
    with pytest.raises(ResponseUnusable):
        inside.request("GET", address)
    thread.join()


def test_nobody_there_and_no_such_name(inside: Outgoing) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(NotReached, match="refused"):
            inside.request("GET", f"http://127.0.0.1:{unused.getsockname()[1]}/")
    with pytest.raises(NotReached, match="unknown host name"):
        inside.request("GET", "https://no-such-host.invalid/")


@needs_openssl
def test_certificates_are_checked_by_name_with_the_operators_authority(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    good = authority.server_context(authority.signed("good"))
    with serving(context=good) as server:
        policy = Policy(parsed_networks("127.0.0.0/8, ::1"))
        assert Outgoing(policy, ca_file=authority.path).request("GET", server.url).is_success
        with pytest.raises(NotReached, match="untrusted certificate"):
            Outgoing(policy).request("GET", server.url)
        with pytest.raises(NotReached, match="untrusted certificate"):
            Outgoing(policy, ca_file=authority.path).request(
                "GET", server.url.replace("localhost", "127.0.0.1")
            )


def test_the_environment_is_not_heeded(inside: Outgoing, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving() as server:
        assert inside.request("GET", server.url).is_success


def test_a_header_that_cannot_be_sent_is_an_error_with_a_name(inside: Outgoing) -> None:
    with serving(lambda asked: Reply()) as server:
        for value in ("tök", "a…", "a\r\nb"):
            with pytest.raises(ResponseUnusable, match="can't be sent"):
                inside.request("GET", server.url, headers={"Authorization": f"Bearer {value}"})


@each(
    "url",
    [
        "https://example.org./hook",
        "https://1e100.net/",
        "https://3com.example/",
        "https://a_b.example/",
        "https://exämple.org/",
        "https://134744072/",
        "https://[2606:4700:4700::1111]/",
    ],
)
def test_names_with_digits_and_public_addresses_stay_allowed(url: str) -> None:
    Outgoing().check(url)
