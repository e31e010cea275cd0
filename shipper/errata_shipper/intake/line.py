"""An item as a line of the log file."""

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from errata_wire.completion import BINARY, NAMED_BY_ENVELOPE, completed_headers, completed_user
from errata_wire.envelope import Item
from errata_wire.limits import item_line_max_bytes

from errata_shipper.intake.payload import Payload, compact, is_event_id
from errata_shipper.tracker import moment


def line_of(
    item: Item, envelope: Mapping[str, Any], app_key: str, client_address: str, logged_at: datetime
) -> bytes | None:
    """The item's line; None if that would be longer than the service takes."""
    most = item_line_max_bytes(item.type)
    # By the payload alone where it can be told: to read it would take many times its size.
    if len(item.payload) > most:
        return None
    head: dict[str, Any] = {"type": item.type, "app_key": app_key, "logged_at": moment(logged_at)}
    headers = completed_headers(item, envelope)
    if headers and headers != {"content_type": "application/json"}:
        head["headers"] = headers
    line = compact(head)[:-1] + b"," + _content(item, envelope, client_address) + b"}\n"
    return line if len(line) <= most else None


def _content(item: Item, envelope: Mapping[str, Any], client_address: str) -> bytes:
    payload = _payload(item)
    if payload is None:
        return b'"payload_b64":"' + base64.b64encode(item.payload) + b'"'
    if isinstance(payload.value, dict):
        _name_event(item, payload, envelope.get("event_id"))
        user = completed_user(payload.value, client_address)
        if user is not None:
            payload.change({**payload.value, "user": user})
    return b'"payload":' + payload.text


def _payload(item: Item) -> Payload | None:
    if item.type in BINARY:
        return None
    try:
        payload = Payload(item.payload)
    except (ValueError, RecursionError):
        return None
    return None if payload.value is None else payload


def _name_event(item: Item, payload: Payload, event_id: object) -> None:
    if item.type in NAMED_BY_ENVELOPE and is_event_id(event_id) and "event_id" not in payload.value:
        payload.add("event_id", str(event_id))
