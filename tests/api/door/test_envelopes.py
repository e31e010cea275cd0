"""What a direct sender is answered with, and what is on disk and in the warehouse then."""

import gzip
import json
import zlib
from collections.abc import Callable

from backports import zstd

from tests.api.door.direct_node import ADDRESS, DirectNode, envelope, event
from tests.cases import each

BODY = envelope(event())


def test_an_event_is_on_disk_when_it_is_answered_and_stored_soon(node: DirectNode) -> None:
    event_id = "9f86d081884c7d659a2feaa0c55ad015"
    answer = node.send(envelope(event(user={"ip_address": "{{auto}}"}), event_id=event_id))
    assert (answer.status_code, answer.json()) == (200, {"id": event_id})
    assert [line["app_key"] for line in node.lines()] == [node.account.public_key]
    (stored,) = node.events(1)
    assert (stored["project_id"], stored["message"]) == (node.account.project_id, "it broke")
    assert stored["user_ip"].removeprefix("::ffff:") == ADDRESS


@each(
    ("query", "dsn", "key"),
    [
        ("?sentry_version=7&sentry_key={key}&sentry_client=x&sentry_timestamp=1", None, ""),
        ("", "http://{key}@errata.example/1", ""),
        ("?sentry_key={key}", "http://{key}@errata.example/1", None),
    ],
)
def test_the_key_is_in_the_header_the_address_or_the_envelope(
    query: str, dsn: str | None, key: str | None, node: DirectNode
) -> None:
    own = node.account.public_key
    headers = {"dsn": dsn.format(key=own)} if dsn else {}
    before = len(node.lines())
    assert (
        node.send(envelope(event(), **headers), node.path() + query.format(key=own), key).status_code == 200
    )
    assert len(node.lines()) == before + 1


@each(
    ("key", "said"),
    [
        ("", "no key"),
        ("errata_public_unknown", "unknown or revoked"),
        ("errata_api_secret", "secret API key"),
        ("0123456789abcdef0123456789abcdef", "not an application key"),
    ],
)
def test_a_key_that_is_none_of_a_project_is_refused(key: str, said: str, node: DirectNode) -> None:
    answer = node.send(BODY, key=key)
    assert answer.status_code == 403
    assert answer.json()["error"] == "key_refused"
    assert said in answer.json()["detail"]
    assert answer.headers["x-sentry-error"].startswith(answer.json()["detail"][:20])
    assert "errata_api_secret" not in answer.text
    assert node.lines() == []


def test_two_keys_of_one_request_must_agree(node: DirectNode) -> None:
    dsn = f"http://{node.account.app_key}@errata.example/1"
    assert node.send(envelope(event(), dsn=dsn)).status_code == 403
    assert node.lines() == []


def test_a_dsn_with_the_number_of_another_project_is_refused(node: DirectNode) -> None:
    answer = node.send(BODY, path=f"/api/{node.account.project_id + 1}/envelope/")
    assert (answer.status_code, node.lines()) == (403, [])
    assert "number" in answer.json()["detail"]


def test_a_revoked_key_is_refused(node: DirectNode) -> None:
    (key,) = node.store.keys.app.of_project(1, node.account.project, is_public=True)
    node.store.keys.app.revoke(1, node.account.project, key.id, actor="test")
    assert node.send(BODY).status_code == 403


def test_an_application_key_is_for_servers(node: DirectNode) -> None:
    assert node.send(BODY, key=node.account.app_key).status_code == 200
    assert node.events(1)


@each("path", ["envelope", "envelope/", "store", "store/"])
def test_addresses_have_a_slash_at_the_end_or_none(path: str, node: DirectNode) -> None:
    body = event("one")[1] if path.startswith("store") else BODY
    before = len(node.lines())
    assert (node.send(body, node.path(path)).status_code, len(node.lines())) == (200, before + 1)


@each(
    ("encoding", "encode"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("zstd", zstd.compress), ("identity", bytes)],
)
def test_bodies_come_compressed(encoding: str, encode: Callable[[bytes], bytes], node: DirectNode) -> None:
    before = len(node.lines())
    answer = node.send(encode(BODY), Content_Encoding=encoding)
    assert (answer.status_code, len(node.lines())) == (200, before + 1)


@each(
    "content_type",
    ["", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "multipart/form-data"],
)
def test_the_content_type_says_nothing(content_type: str, node: DirectNode) -> None:
    headers = {"Content_Type": content_type} if content_type else {}
    before = len(node.lines())
    assert (node.send(BODY, **headers).status_code, len(node.lines())) == (200, before + 1)


@each(
    ("body", "encoding", "status", "code"),
    [
        (b"no envelope", "", 400, "invalid_envelope"),
        (b'{}\n{"type":"event","length":99}\n{}', "", 400, "invalid_envelope"),
        (b"[" * 100_000, "", 400, "invalid_envelope"),
        (b"not gzip", "gzip", 400, "invalid_envelope"),
        (BODY, "lzma", 415, "unsupported_encoding"),
        (gzip.compress(b"x" * (17 << 20)), "gzip", 413, "too_large"),
        (b"x" * (17 << 20), "", 413, "too_large"),
    ],
)
def test_a_bad_body_is_refused_and_its_neighbours_are_stored(
    body: bytes, encoding: str, status: int, code: str, node: DirectNode
) -> None:
    answer = node.send(body, **({"Content_Encoding": encoding} if encoding else {}))
    assert (answer.status_code, answer.json()["error"]) == (status, code)
    before = len(node.lines())
    assert (node.send(BODY).status_code, len(node.lines())) == (200, before + 1)


def test_a_client_report_alone_and_an_empty_envelope_are_taken(node: DirectNode) -> None:
    report = {"discarded_events": [{"reason": "sample_rate", "category": "error", "quantity": 2}]}
    assert node.send(envelope(("client_report", json.dumps(report).encode()))).json() == {}
    assert node.send(b"{}").status_code == 200
    assert [line["type"] for line in node.lines()] == ["client_report"]


def test_an_item_over_its_limit_is_dropped_and_counted(node: DirectNode) -> None:
    large = json.dumps({"message": "x" * (5 << 20)}).encode()
    assert node.send(envelope(event(), ("event", large))).status_code == 200
    assert [line["type"] for line in node.lines()] == ["event", "client_report"]
    answer = node.send(envelope(("event", large)))
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
