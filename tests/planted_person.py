"""Deliveries of a person whose texts are planted wherever an SDK can put them, and of others beside them."""

import base64
import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from api.ingest.recording import Recording
from tests.captured_replays import recorded_bytes
from tests.captures import browser_items, moved, moved_to, payloads

KINDS = ("transaction", "span", "session", "replay_event", "replay_recording")


@dataclass(frozen=True)
class Person:
    """Texts that nobody else has."""

    id: str = "person-71420815"
    email: str = "vera.planted@example.org"
    name: str = "Vera Plantedson"
    ip: str = "203.0.113.177"

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.id, self.email, self.name, self.ip)

    @property
    def user(self) -> dict[str, str]:
        return {"id": self.id, "email": self.email, "username": self.name, "ip_address": self.ip}


VERA = Person()
OTHERS = tuple(
    Person(
        f"other-5500{number}", f"other{number}@example.net", f"Other Number{number}", f"198.51.100.{number}"
    )
    for number in range(1, 4)
)


def events(person: Person, count: int, now: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Errors of a person, with the person's texts in every place; the same errors for everybody."""
    now = now or datetime.now(UTC)
    captured = [body.get("payload", body) for body in payloads("python_errors")]
    for number in range(count):
        payload = copy.deepcopy(captured[number % len(captured)])
        payload = moved(payload, moved_to(now - timedelta(minutes=1)))
        said = " ".join(person.texts)
        payload |= {
            "event_id": uuid4().hex,
            "timestamp": (now - timedelta(minutes=2 + 60 * (number % 30))).isoformat(),
            "user": person.user,
            "extra": {"account": {"of": said}},
            "tags": {"customer": person.email},
            "breadcrumbs": {"values": [{"category": "sql", "message": f"select {said}"}]},
        }
        for value in payload.get("exception", {}).get("values", [])[-1:]:
            value["value"] = f"No account of {person.email}"
        yield payload


def written(person: Person, trace_id: str, now: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Items of a person's log, with a record that names nobody, and what the person wrote in both forms."""
    now = now or datetime.now(UTC)
    said = " ".join(person.texts)
    known = {"user.id": person.id, "user.email": person.email, "customer": said}
    record = {"timestamp": now.timestamp(), "trace_id": trace_id, "level": "info", "body": f"Login of {said}"}
    attributes = {name: {"value": value, "type": "string"} for name, value in known.items()}
    yield {"type": "log", "payload": {"items": [{**record, "attributes": attributes}, record]}}
    sent = {"message": f"I am {said}", "contact_email": person.email, "name": person.name}
    payload: dict[str, Any] = {"event_id": uuid4().hex, "user": person.user}
    payload["contexts"] = {"feedback": sent}
    yield {"type": "feedback", "payload": payload}
    yield attached(person, payload["event_id"])
    report = {"event_id": uuid4().hex, "email": person.email, "name": person.name, "comments": said}
    yield {"type": "user_report", "payload": report}


def attached(person: Person, event_id: str) -> dict[str, Any]:
    """A file that names the person and was sent with an event or with feedback."""
    headers = {"event_id": event_id, "filename": f"{person.email}.txt"}
    content = base64.b64encode(" ".join(person.texts).encode()).decode()
    return {"type": "attachment", "headers": headers, "payload_b64": content}


def telemetry(people: Mapping[int, Person], generation: str = "v10") -> Iterator[dict[str, Any]]:
    """Page loads, spans, sessions and recordings; of each three traces, one is of each person named."""
    traces: dict[str, Person] = {}

    def owner(key: str) -> Person:
        return traces.setdefault(key, people[len(traces) % len(people)])

    for item in browser_items(generation, moved_to(datetime.now(UTC) - timedelta(minutes=1)), KINDS):
        payload, headers = copy.deepcopy(item.payload), {**item.headers}
        trace = payload.get("contexts", {}).get("trace", {}).get("trace_id")
        trace = trace or next(iter(payload.get("trace_ids") or ()), None) or payload.get("sid")
        trace = trace or next((one.get("trace_id") for one in payload.get("items") or ()), None)
        person = owner(trace or str(headers.get("event_id")))
        if item.type == "session":
            payload["did"] = person.id
        elif item.type in ("transaction", "replay_event"):
            payload["user"] = person.user
            traces.setdefault(str(headers.get("event_id")), person)
        for span in payload.get("spans") or ():
            span["description"] = f"{span.get('description', '')} {person.email}"
            if "browser.script.invoker" in span.get("data", {}):
                span["data"]["browser.script.invoker"] = f"A[title={person.email}].onclick"
        told = payload.get("contexts", {}).get("trace", {}).get("data", {})
        for name in {"lcp.element", "cls.source.1"} & told.keys():
            told[name] += f" > a[title={person.email}]"
        line: dict[str, Any] = {"type": item.type, "payload": payload, "headers": headers}
        if isinstance(item.content, Recording):
            events = json.loads(item.content.events.text())[:20]
            events.append(said(person, events[-1]["timestamp"]))
            recorded = recorded_bytes(item.content.segment_id, events)
            line["payload_b64"] = base64.b64encode(recorded).decode()
            del line["payload"]
        yield line


def said(person: Person, timestamp: float) -> dict[str, Any]:
    """A recorded event with the person's texts."""
    message = json.dumps(person.texts)
    payload = {"timestamp": timestamp / 1000, "category": "console", "message": message}
    return {"type": 5, "timestamp": timestamp, "data": {"tag": "breadcrumb", "payload": payload}}


def lines(*bodies: dict[str, Any]) -> bytes:
    logged_at = datetime.now(UTC).isoformat()
    return b"".join(json.dumps({"logged_at": logged_at, **body}).encode() + b"\n" for body in bodies)
