"""The older protocol: one event without an envelope."""

import base64
import binascii
import uuid
from typing import Any

from errata_wire.content_encoding import inflated_zlib, too_large
from errata_wire.envelope import Envelope, Item
from errata_wire.refusal import Refused

from errata_shipper.intake.payload import Payload, is_event_id

# What the oldest SDKs call the parts of an event.
_INTERFACES = {
    "sentry.interfaces.Exception": "exception",
    "sentry.interfaces.Message": "logentry",
    "sentry.interfaces.Stacktrace": "stacktrace",
    "sentry.interfaces.Http": "request",
    "sentry.interfaces.User": "user",
    "sentry.interfaces.Breadcrumbs": "breadcrumbs",
}


def envelope_of(content: bytes, limit: int) -> Envelope:
    """The event, of at most `limit` bytes, in an envelope, with an id made up if it has none."""
    content = _unwrapped(content.strip(), limit)
    if len(content) > limit:
        raise too_large(limit)
    try:
        payload = Payload(content)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "invalid event: the body is not JSON") from error
    if not isinstance(payload.value, dict):
        raise Refused(400, "invalid event: the body is not an object")
    translated = _translated(payload.value)
    if translated != payload.value:
        payload.change(translated)
    event_id = translated["event_id"]
    item_type = "transaction" if payload.value.get("type") == "transaction" else "event"
    return Envelope({"event_id": event_id}, [Item(item_type, {}, payload.text)])


def _translated(event: dict[str, Any]) -> dict[str, Any]:
    """The event in today's words, with an id."""
    renamed = {_INTERFACES.get(name, name): value for name, value in event.items()}
    exception = renamed.get("exception")
    if isinstance(exception, dict) and "values" not in exception:
        renamed["exception"] = {"values": [exception]}
    if not is_event_id(renamed.get("event_id")):
        renamed["event_id"] = uuid.uuid4().hex
    return renamed


def _unwrapped(content: bytes, limit: int) -> bytes:
    """The oldest SDKs send base64 of zlib."""
    if content[:1] == b"{":
        return content
    try:
        packed = base64.b64decode(content, validate=True)
    except binascii.Error:
        return content
    return inflated_zlib(packed, limit)
