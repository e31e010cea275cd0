"""Events of three platforms with planted secrets in every place a text can stand, and what is refused."""

import copy
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from tests.api.ingest.test_secrets import PLACES, captured
from tests.captures import browser_items, moved, moved_to
from tests.secret_cases import PLANTED

# Seen wherever the secrets beside it would be.
MARK = "plainly-seen-7141"
PLATFORMS = ("python_errors", "javascript_errors", "browser_error_events")
ROUNDS = 3
# Shorter ones could be part of any hash.
SECRETS = frozenset(secret for case in PLANTED for secret in case.secrets if len(secret) >= 8)
REFUSED_SECRET = "Zq8refused01ted"


def lines() -> Iterator[bytes]:
    """Every text in an event of each platform, each time in another place; then texts in a page's spans."""
    yield from _events()
    yield from _page_loads()


def _line(payload: dict[str, Any], item_type: str = "event", **more: Any) -> bytes:
    item = {"type": item_type, "logged_at": datetime.now(UTC).isoformat(), "payload": payload, **more}
    return json.dumps({name: value for name, value in item.items() if value}).encode()


def _events() -> Iterator[bytes]:
    places, by = list(PLACES.values()), moved_to(datetime.now(UTC) - timedelta(minutes=2))
    for number, name in enumerate(PLATFORMS):
        bodies = [event.get("payload", event) for event in captured(name, ROUNDS)]
        for first in range(0, len(PLANTED), len(places)):
            payload = moved(copy.deepcopy(bodies[first % len(bodies)]), by)
            payload |= {"event_id": uuid4().hex, "timestamp": datetime.now(UTC).isoformat()}
            for position, case in enumerate(PLANTED[first : first + len(places)]):
                places[(position + number * 7) % len(places)](payload, case.text)
            payload.setdefault("extra", {})["mark"] = MARK
            yield _line(payload)


def _page_loads() -> Iterator[bytes]:
    texts = [case.text for case in PLANTED]
    items = browser_items("v11", moved_to(datetime.now(UTC)), ("transaction", "span"))
    for number, item in enumerate(items):
        if number == len(texts):
            return
        payload = item.payload
        for position, span in enumerate(payload.get("spans") or payload.get("items") or ()):
            text = texts[(number * 3 + position) % len(texts)]
            name = "description" if "description" in span else "name"
            if position % 2 and item.type == "transaction":
                span[name] = f"{span.get(name, '')} {text}"
            attributes = span.setdefault("data" if item.type == "transaction" else "attributes", {})
            attributes["note"] = text if item.type == "transaction" else {"value": text, "type": "string"}
        yield _line(payload, item.type, headers=dict(item.headers))


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
