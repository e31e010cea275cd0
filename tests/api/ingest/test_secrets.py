"""Secrets planted in real items, delivered through the real door: none may be stored anywhere."""

import base64
import copy
import gzip
import json
import logging
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.api.ingest.conftest import IngestNode
from tests.secret_catalog import PLANTED, SOURCE_WITH_SECRETS

DATA = Path(__file__).parents[2] / "data"
Plant = Callable[[dict[str, Any], str], None]


def _frame(payload: dict[str, Any]) -> dict[str, Any]:
    exception = payload.setdefault("exception", {}).setdefault("values", [{"type": "E", "value": ""}])[-1]
    frames = exception.setdefault("stacktrace", {}).setdefault("frames", [])
    if not frames:
        frames.append({"function": "f", "filename": "a.py", "lineno": 1, "in_app": True})
    found: dict[str, Any] = frames[-1]
    return found


def _in_exception(payload: dict[str, Any], text: str) -> None:
    _frame(payload)
    payload["exception"]["values"][-1]["value"] = text


def _in_request(name: str) -> Plant:
    def plant(payload: dict[str, Any], text: str) -> None:
        payload.setdefault("request", {})[name] = text

    return plant


PLACES: dict[str, Plant] = {
    "message": lambda payload, text: payload.update(message=text),
    "log entry": lambda payload, text: payload.update(
        logentry={"message": "said %s", "params": [text], "formatted": text}
    ),
    "exception": _in_exception,
    "variable": lambda payload, text: _frame(payload).update(vars={"order": text, "args": [text, 1]}),
    "url": _in_request("url"),
    "query": _in_request("query_string"),
    "body": _in_request("data"),
    "header": lambda payload, text: payload.setdefault("request", {}).update(
        headers={"Referer": text, "User-Agent": text}
    ),
    "breadcrumb": lambda payload, text: payload.update(
        breadcrumbs={
            "values": [{"category": "console", "message": text, "data": {"arguments": [text], "url": text}}]
        }
    ),
    "tag": lambda payload, text: payload.update(tags={"note": text}),
    "tag pair": lambda payload, text: payload.update(tags=[["note", text]]),
    "extra": lambda payload, text: payload.setdefault("extra", {}).update(note=text, deep={"list": [[text]]}),
    "context": lambda payload, text: payload.setdefault("contexts", {}).update(order={"note": text}),
    "user": lambda payload, text: payload.update(user={"id": text, "username": text, "data": {"note": text}}),
    "transaction": lambda payload, text: payload.update(transaction=text),
    "server": lambda payload, text: payload.update(
        server_name=text, release=text, environment=text, logger=text
    ),
    "fingerprint": lambda payload, text: payload.update(fingerprint=["{{ default }}", text]),
    "name": lambda payload, text: payload.setdefault("extra", {}).update({text: 1}),
    "thread": lambda payload, text: payload.update(threads={"values": [{"name": text, "id": 1}]}),
    "module": lambda payload, text: payload.update(modules={"shop": text}),
}


def captured(name: str, count: int) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz") as lines:
        return [json.loads(line) for line, _ in zip(lines, range(count), strict=False)]


def line(payload: Any, item_type: str = "event", **more: Any) -> bytes:
    item = {"type": item_type, "logged_at": datetime.now(UTC).isoformat(), "payload": payload, **more}
    return json.dumps({name: value for name, value in item.items() if value is not None}).encode() + b"\n"


def everything_stored(node: IngestNode) -> str:
    tables = node.admin.rows(
        "select database, name from system.tables where database like 'errata%' and engine not like '%View'"
    )
    assert len(tables) > 10
    return "\n".join(
        str(row)
        for table in tables
        for row in node.admin.rows(f"select * from {table['database']}.{table['name']}")
    )


def planted_secrets() -> set[str]:
    return {secret for case in PLANTED for secret in case.gone}


@pytest.mark.slow
def test_no_secret_planted_in_a_real_event_is_stored(
    node: IngestNode, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    events = [
        event
        for name in ("python_errors", "javascript_errors", "browser_error_events")
        for event in captured(name, 12)
    ]
    places = list(PLACES.values())
    lines = []
    for number, case in enumerate(PLANTED):
        for turn in range(4):
            place = places[(number + turn * 5) % len(places)]
            payload = copy.deepcopy(events[(number + turn) % len(events)])
            payload["event_id"], payload["timestamp"] = uuid4().hex, datetime.now(UTC).isoformat()
            place(payload, case.text)
            lines.append(line(payload))
    for source, _ in SOURCE_WITH_SECRETS:
        payload = copy.deepcopy(events[0])
        payload["event_id"], payload["timestamp"] = uuid4().hex, datetime.now(UTC).isoformat()
        _frame(payload).update(context_line=source, pre_context=[source], post_context=["x", source])
        lines.append(line(payload))
    for start in range(0, len(lines), 50):
        status, answer = node.deliver(b"".join(lines[start : start + 50]))
        assert (status, answer["rejected"]) == (200, [])
    stored = everything_stored(node)
    secrets = planted_secrets() | {secret for _, secret in SOURCE_WITH_SECRETS}
    assert len(lines) > 300 and len({case.id.partition(":")[0] for case in PLANTED}) >= 20
    assert sorted(secret for secret in secrets if secret in stored or repr(secret)[1:-1] in stored) == []
    assert node.count("errata_raw.error_events") == len(lines)
    assert not [
        record for record in caplog.records if any(secret in record.getMessage() for secret in secrets)
    ]


@pytest.mark.slow
def test_no_secret_of_any_other_item_is_stored(node: IngestNode) -> None:
    now = datetime.now(UTC).timestamp()
    lines = []
    for number, case in enumerate(PLANTED):
        text, span = case.text, f"{number + 1:016x}"
        transaction = captured("python_transactions", 1)[0] | {
            "event_id": uuid4().hex,
            "timestamp": now,
            "start_timestamp": now - 1,
            "transaction": text,
            "release": text,
        }
        transaction["spans"] = [
            {
                "span_id": span,
                "op": op,
                "description": text,
                "data": {"url": text, "note": text},
                "start_timestamp": now,
            }
            for op in ("db", "http.client", "function")
        ]
        attributes = {
            "sentry.op": {"value": "function", "type": "string"},
            "note": {"value": text, "type": "string"},
        }
        container = {
            "items": [{"name": text, "span_id": span, "trace_id": uuid4().hex, "attributes": attributes}]
        }
        recorded = b'{"segment_id":0}\n' + zlib.compress(
            json.dumps(
                [
                    {
                        "type": 3,
                        "timestamp": 1.8e12,
                        "data": {"text": text, "attributes": {"type": "password", "value": "Tr0ub4dor9"}},
                    }
                ]
            ).encode()
        )
        lines += [
            line(transaction, "transaction", headers={"trace": {"release": text, "environment": text}}),
            line(container, "span"),
            line(
                {"sid": uuid4().hex, "status": "ok", "attrs": {"release": text, "user_agent": text}},
                "session",
            ),
            line(
                {"replay_id": uuid4().hex, "segment_id": 0, "urls": [text], "error_ids": [text]},
                "replay_event",
            ),
            line(
                None,
                "replay_recording",
                payload_b64=base64.b64encode(recorded).decode(),
                headers={"replay_id": uuid4().hex},
            ),
            line(
                {"monitor_slug": "nightly", "status": "ok", "environment": text, "release": text},
                "check_in",
            ),
            line({"text": text}, text if len(text) <= 64 else "log"),
        ]
    for start in range(0, len(lines), 200):
        status, answer = node.deliver(
            b"".join(lines[start : start + 200]),
            X_Errata_Batch_Id=f"b{start} password=Tr0ub4dor9",
            X_Errata_Source=f"host=web-1; file=password=Tr0ub4dor9.{start}.log; from=0; to=9; size=9",
        )
        assert (status, answer["rejected"]) == (200, [])
    node.deliver(
        b'{"type": "event", "payload": {"password=Tr0ub4dor9": 1}, "app_key": "errata_app_x"}\n'
        + line({"message": "x"})
    )
    stored = everything_stored(node)
    for row in node.admin.rows("select recording from errata_raw.replay_segments where part = 'recording'"):
        stored += row["recording"] + str(json.loads(row["recording"]))
    assert (
        sorted(secret for secret in planted_secrets() if secret in stored or repr(secret)[1:-1] in stored)
        == []
    )


@pytest.mark.slow
def test_a_recording_that_inflates_without_end_is_refused(node: IngestNode) -> None:
    recorded = base64.b64encode(b'{"segment_id":0}\n' + zlib.compress(bytes(40 << 20))).decode()
    _, answer = node.deliver(line(None, "replay_recording", payload_b64=recorded))
    assert [rejected["reason"] for rejected in answer["rejected"]] == ["invalid_item"]


def test_no_part_of_a_secret_is_left_where_the_id_of_a_batch_is_cut(node: IngestNode) -> None:
    token = "ghp_" + "aB3dE6fG9hJ2kL5mN8pQ" * 2
    for length_before in range(150, 200, 7):
        _, answer = node.deliver(line({"message": "x"}), X_Errata_Batch_Id=f"{'b' * length_before} {token}")
        assert "aB3dE" not in answer["batch_id"]
