"""The older protocol: one event without an envelope."""

import base64
import binascii
import uuid

from errata_shipper.intake.content_encoding import inflated_zlib
from errata_shipper.intake.envelope import Envelope, Item
from errata_shipper.intake.payload import Payload, is_event_id
from errata_shipper.intake.refusal import Refused


def envelope_of(content: bytes, limit: int) -> Envelope:
    """The event in an envelope, with an id made up if it has none."""
    try:
        payload = Payload(_unwrapped(content.strip(), limit))
    except (ValueError, RecursionError) as error:
        raise Refused(400, "invalid event: the body is not JSON") from error
    if not isinstance(payload.value, dict):
        raise Refused(400, "invalid event: the body is not an object")
    event_id = payload.value.get("event_id")
    if not is_event_id(event_id):
        event_id = uuid.uuid4().hex
        payload.change({**payload.value, "event_id": event_id})
    item_type = "transaction" if payload.value.get("type") == "transaction" else "event"
    return Envelope({"event_id": event_id}, [Item(item_type, {}, payload.text)])


def _unwrapped(content: bytes, limit: int) -> bytes:
    """The oldest SDKs send base64 of zlib."""
    if content[:1] == b"{":
        return content
    try:
        packed = base64.b64decode(content, validate=True)
    except binascii.Error:
        return content
    return inflated_zlib(packed, limit)
