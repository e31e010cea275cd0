"""Items of every kind with planted secrets in every place a text can stand, and what is refused."""

import copy
import itertools
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from tests.captured_replays import CapturedReplay, captured_replays, recorded_bytes, recording_line
from tests.captures import DATA, browser_items, moved, moved_to, payloads
from tests.secret_catalog import SECRETS, Secret
from tests.secret_places import MADE, saturated

# Seen wherever the secrets beside it would be.
MARK = "plainly-seen-7141"
# Shorter ones could be part of any hash.
GONE = {part: secret.id for secret in SECRETS for part in secret.gone}
REFUSED_SECRET = "Zq8refused01ted"
# Of more, events of other recordings would say nothing new.
_ODD = ("Go", "C# invocation", "Ruby iterator", "Kotlin coroutine", "Swift trap", "Rust panic")
_COMMON = dict.fromkeys(
    ("transaction", "release", "environment", "server_name", "dist", "logger", "message"), "x"
)


def secrets_from(first: int) -> Iterator[Secret]:
    """All of them, again and again."""
    return itertools.islice(itertools.cycle(SECRETS), first % len(SECRETS), None)


def lines() -> Iterator[bytes]:
    """Each secret at each of the places that all events have, and everywhere else in turn."""
    yield from _events()
    yield from _transactions()
    yield from _page_loads()
    yield from _sessions()
    yield from _check_ins()


def _line(payload: dict[str, Any], item_type: str = "event", **more: Any) -> bytes:
    item = {"type": item_type, "logged_at": datetime.now(UTC).isoformat(), "payload": payload, **more}
    return json.dumps({name: value for name, value in item.items() if value}).encode()


def _bases() -> list[dict[str, Any]]:
    recorded = ("python_errors", "javascript_errors", "browser_error_events", "native_crashes")
    found = [next(itertools.islice(payloads(name), 3, None)) for name in recorded]
    odd = map(json.loads, (DATA / "odd_events.jsonl").read_text().splitlines())
    found += [one["event"] for one in odd if one["name"] in _ODD]
    made = [payload for item_type, payload in MADE if item_type == "event"]
    for at, payload in enumerate(made):
        found[at % len(found)] = {**payload, **found[at % len(found)]}
    return found


def _events() -> Iterator[bytes]:
    bases, by = _bases(), moved_to(datetime.now(UTC) - timedelta(minutes=2))
    for number in range(len(SECRETS)):
        base = bases[number % len(bases)]
        more: dict[str, Any] = {
            "logentry": {"message": "said %s", "params": ["x"], "formatted": "said x"},
            "tags": {"a": "b"} if number % 2 else [["a", "b"]],
            "user": {"id": "x", "username": "y", "email": "z", "data": {"note": "w"}},
            "fingerprint": ["{{ default }}", "x"],
            "request": {
                "url": "/x",
                "query_string": "a=b",
                "headers": {"Referer": "r"},
                "data": "d",
                "fragment": "f",
            },
            "extra": {"note": "x", "list": ["y"]},
            "contexts": {"order": {"note": "x"}, "response": {"data": "y"}},
        }
        payload = {
            **copy.deepcopy(_COMMON),
            **{**more, **{k: v for k, v in moved(base, by).items() if k not in more}},
        }
        payload = saturated(payload, secrets_from(number), number)
        payload |= {"event_id": uuid4().hex, "timestamp": datetime.now(UTC).isoformat(), "level": "error"}
        payload["extra"]["mark"] = MARK
        yield _line(payload)


def _transactions() -> Iterator[bytes]:
    now = datetime.now(UTC).timestamp()
    recorded = itertools.cycle(itertools.islice(payloads("python_transactions"), 0, 240, 24))
    for number in range(0, len(SECRETS), 2):
        payload = next(recorded)
        spans = [{**span, "start_timestamp": now - 2, "timestamp": now - 1} for span in payload["spans"][:6]]
        payload = {**_COMMON, **payload, "spans": spans}
        payload = saturated(payload, secrets_from(number), number)
        payload |= {"event_id": uuid4().hex, "timestamp": now, "start_timestamp": now - 3}
        yield _line(payload, "transaction", headers={"trace": {"release": SECRETS[number].text}})


def _page_loads() -> Iterator[bytes]:
    items = browser_items("v11", moved_to(datetime.now(UTC)), ("transaction", "span"))
    for number, item in enumerate(itertools.islice(items, 120)):
        payload = saturated(item.payload, secrets_from(number * 5), number)
        yield _line(payload, item.type, headers=dict(item.headers))


def _sessions() -> Iterator[bytes]:
    now = datetime.now(UTC).isoformat()
    for number, secret in enumerate(SECRETS):
        attributes = dict.fromkeys(("release", "environment", "user_agent", "ip_address"), secret.text)
        session = {"sid": str(uuid4()), "init": True, "started": now, "timestamp": now, "status": "ok"}
        yield _line({**session, "did": secret.text, "attrs": attributes}, "session")
        if number % 9 == 0:
            counted = {"aggregates": [{"started": now, "exited": 1, "did": secret.text}], "attrs": attributes}
            yield _line(counted, "sessions")


def _check_ins() -> Iterator[bytes]:
    for secret in SECRETS:
        texts = dict.fromkeys(("environment", "release"), secret.text)
        config = {"schedule": {"type": "interval", "value": 1, "unit": "hour"}}
        yield _line(
            {"monitor_slug": "nightly", "status": "ok", "monitor_config": config, **texts}, "check_in"
        )


def replays() -> list[tuple[CapturedReplay, list[bytes]]]:
    """Some of the recorded ones, with secrets in every event and all secrets in crumbs made for them."""
    found = []
    for number, replay in enumerate(captured_replays(datetime.now(UTC))[:4]):
        lines = []
        for segment, events in replay.segments.items():
            secrets = secrets_from(number * 90 + segment * 7)
            planted = [
                {**event, "data": saturated(event["data"], secrets, at)} if event["type"] != 2 else event
                for at, event in enumerate(events)
            ]
            at = events[-1]["timestamp"]
            planted += [_made(secret, at) for secret in itertools.islice(secrets_from(number * 100), 140)]
            planted += _typed(itertools.islice(secrets_from(number * 100), 140), at)
            description = saturated(replay.descriptions[segment], secrets, segment)
            lines.append(_line(description, "replay_event"))
            lines.append(recording_line(replay.replay_id, recorded_bytes(segment, planted)))
        found.append((replay, lines))
    return found


def _made(secret: Secret, at: float) -> dict[str, Any]:
    data = {
        "arguments": [secret.text, "x"],
        "note": {secret.name or "a": secret.gone[0] if secret.name else secret.text},
    }
    payload = {
        "category": "console",
        "message": secret.text,
        "timestamp": at / 1000,
        "type": "default",
        "data": data,
    }
    return {"type": 5, "timestamp": at, "data": {"tag": "breadcrumb", "payload": payload}}


# What a page says of a field that holds a secret.
_FIELDS = (
    {"type": "password"},
    {"type": "text", "autocomplete": "cc-csc"},
    {"type": "text", "name": "user[password]"},
    {"data-testid": "api-key"},
    {"type": "text", "data-rr-is-password": "true"},
)


def _typed(secrets: Iterable[Secret], at: float) -> list[dict[str, Any]]:
    """A field of the page for each secret, typed into and changed; nothing else says what its value is."""
    events: list[dict[str, Any]] = []
    for number, secret in enumerate(secrets, 1_000_000):
        value, field = secret.gone[0], _FIELDS[number % len(_FIELDS)]
        node = {"type": 2, "tagName": "input", "attributes": {**field, "value": value}, "childNodes": []}
        added = {"parentId": 5, "nextId": None, "node": {**node, "id": number}}
        changed = [{"id": number, "attributes": {"value": value}}]
        events += (
            {"source": 0, "texts": [], "attributes": changed, "removes": [], "adds": [added]},
            {"source": 5, "text": value, "isChecked": False, "id": number},
        )
    return [{"type": 3, "timestamp": at, "data": data} for data in events]


def refused() -> tuple[bytes, ...]:
    """Lines that the door turns down, each with a secret in it."""
    secret = f"password={REFUSED_SECRET}"
    return (
        f'{{"type": "event", "payload": {{"message": "{secret}"'.encode(),
        f"Traceback: {secret} token: '{REFUSED_SECRET}'".encode(),
        json.dumps({"type": "event", "payload": [secret]}).encode(),
        json.dumps({"type": secret * 9, "payload": {"a": secret}}).encode(),
        json.dumps({"type": "event", "payload": {secret: 1}, "app_key": "errata_app_of_nobody"}).encode(),
        json.dumps({"type": "event", "logged_at": secret, "payload": {"message": secret}}).encode(),
        json.dumps({"type": "event", "payload": _deep(secret)}).encode(),
    )


def _deep(text: str) -> dict[str, Any]:
    deep: dict[str, Any] = {"message": text}
    for _ in range(300):
        deep = {"a": deep}
    return deep
