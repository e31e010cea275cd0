import asyncio
import base64
import gzip
import io
import json
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from errata_sdk import tunnel
from errata_sdk.log_file import LogFile

APP_KEY = "errata_app_test"
Lines = Callable[[], list[dict[str, Any]]]

EVENT = b'{"event_id":"1","message":"a\\nb","extra":{"password":"x"}}'
# One item with its length, one without, one that is not JSON and holds line ends, one that is empty.
BODY = b"\n".join(
    [
        b'{"event_id":"1","trace":{"trace_id":"t","release":"shop@1"}}',
        b'{"type":"event","length":%d}' % len(EVENT),
        EVENT,
        b'{"type":"session"}',
        b'{"sid":"s"}',
        b'{"type":"replay_recording","length":7}',
        b"\x78\x9c\n\n\xff\x00\n",
        b'{"type":"client_report","length":0}',
        b"",
    ]
)


def test_an_envelope_that_is_damaged_in_the_middle_is_refused_as_a_whole(logs: Path) -> None:
    with pytest.raises(ValueError, match="byte 23: a header is not JSON"):
        tunnel.append_envelope(b'{}\n{"type":"event"}\n{}\nnot json\n{}', APP_KEY, LogFile(logs))
    assert not logs.exists()


def test_an_envelopes_items_become_lines(logs: Path, lines: Lines) -> None:
    assert tunnel.append_envelope(BODY, APP_KEY, LogFile(logs)) == 4
    event, session, recording, report = lines()
    trace = {"trace_id": "t", "release": "shop@1"}
    assert (event["type"], event["app_key"]) == ("event", APP_KEY)
    assert event["payload"]["extra"] == {"password": "[FILTERED]"}
    assert session["headers"] == {"trace": trace}
    assert session["payload"] == {"sid": "s"}
    assert base64.b64decode(recording["payload_b64"]) == b"\x78\x9c\n\n\xff\x00\n"
    assert recording["headers"] == {"trace": trace, "event_id": "1"}
    assert report["payload_b64"] == ""


def test_what_browsers_really_send_is_written_completely(logs: Path, lines: Lines) -> None:
    captured = Path(__file__).parents[2] / "demo" / "captured_page_loads.jsonl.gz"
    with gzip.open(captured, "rt", encoding="utf-8") as stream:
        envelopes = [json.loads(line) for line in stream][:40]
    expected = [item["headers"]["type"] for captured in envelopes for item in captured["items"]]
    log_file = LogFile(logs)
    for captured_envelope in envelopes:
        tunnel.append_envelope(as_body(captured_envelope), APP_KEY, log_file)
    assert [line["type"] for line in lines()] == expected
    assert {"span", "event", "session"} <= set(expected)
    spans = next(line for line in lines() if line["type"] == "span")
    assert spans["headers"]["content_type"] == "application/vnd.sentry.items.span.v2+json"


def test_the_address_of_a_named_user_is_the_one_the_request_came_from(logs: Path, lines: Lines) -> None:
    body = b'{}\n{"type":"event"}\n{"user":{"id":"7","ip_address":"{{auto}}"}}'
    for address in ("198.51.100.4", ""):
        tunnel.append_envelope(body, APP_KEY, LogFile(logs), client_address=address)
    users = [line["payload"]["user"] for line in lines()]
    assert users == [{"id": "7", "ip_address": "198.51.100.4"}, {"id": "7"}]


def as_body(captured: dict[str, Any]) -> bytes:
    parts = [json.dumps(captured["headers"]).encode()]
    for item in captured["items"]:
        if "payload_b64" in item:
            payload = base64.b64decode(item["payload_b64"])
        else:
            payload = json.dumps(item["payload"]).encode()
        parts += [json.dumps({**item["headers"], "length": len(payload)}).encode(), payload]
    return b"\n".join(parts)


def asgi_status(application: Any, body: bytes, method: str = "POST") -> int:
    halves = [body[: len(body) // 2], body[len(body) // 2 :]]
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        part = halves.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(halves)}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(application({"type": "http", "method": method}, receive, send))
    return int(sent[0]["status"])


def wsgi_status(application: Any, body: bytes, method: str = "POST") -> int:
    said: list[str] = []
    environ = {"REQUEST_METHOD": method, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    application(environ, lambda status, headers: said.append(status))
    return int(said[0].split()[0])


@pytest.mark.parametrize(
    ("route", "status_of"), [(tunnel.asgi, asgi_status), (tunnel.wsgi, wsgi_status)], ids=["asgi", "wsgi"]
)
def test_the_route_takes_envelopes_and_nothing_else(
    route: Callable[..., Any], status_of: Callable[..., int], logs: Path, lines: Lines
) -> None:
    application = route(APP_KEY, logs, max_body_bytes=10_000)
    assert status_of(application, BODY) == 200
    assert status_of(application, b"nonsense") == 400
    assert status_of(application, BODY + b"x" * 10_000) == 413
    assert status_of(application, b"", method="GET") == 405
    assert len(lines()) == 4
