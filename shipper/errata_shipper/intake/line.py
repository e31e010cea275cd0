"""An item as a line of the log file."""

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from errata_wire.envelope import Item
from errata_wire.limits import LINE_MAX_BYTES, RECORDING_LINE_MAX_BYTES

from errata_shipper.intake.payload import Payload, compact, is_event_id
from errata_shipper.tracker import moment

# Headers that say nothing a line does not say already.
_IMPLIED = {"type", "length"}
# Items that are one with the envelope's `event_id`, which some SDKs write nowhere else.
_NAMED_BY_ENVELOPE = {"event", "transaction", "feedback"}


def line_of(
    item: Item, envelope: Mapping[str, Any], app_key: str, client_address: str, logged_at: datetime
) -> bytes | None:
    """The item's line; None if that would be longer than the service takes."""
    most = max_bytes(item.type)
    # By the payload alone where it can be told: to read it would take many times its size.
    if len(item.payload) > most:
        return None
    head: dict[str, Any] = {"type": item.type, "app_key": app_key, "logged_at": moment(logged_at)}
    headers = _headers(item, envelope)
    if headers and headers != {"content_type": "application/json"}:
        head["headers"] = headers
    line = compact(head)[:-1] + b"," + _content(item, envelope, client_address) + b"}\n"
    return line if len(line) <= most else None


def max_bytes(item_type: str) -> int:
    """The limit of an item's line."""
    return RECORDING_LINE_MAX_BYTES if item_type == "replay_recording" else LINE_MAX_BYTES


def _headers(item: Item, envelope: Mapping[str, Any]) -> dict[str, Any]:
    headers = {name: value for name, value in item.headers.items() if name not in _IMPLIED}
    # The items of some SDKs name their release, environment and sample rate nowhere else.
    if envelope.get("trace") and item.type != "event":
        headers["trace"] = envelope["trace"]
    # A recording's bytes name their segment, but only the envelope names the recording.
    if item.type == "replay_recording" and envelope.get("event_id"):
        headers["event_id"] = envelope["event_id"]
    return headers


def _content(item: Item, envelope: Mapping[str, Any], client_address: str) -> bytes:
    payload = _payload(item)
    if payload is None:
        return b'"payload_b64":"' + base64.b64encode(item.payload) + b'"'
    if isinstance(payload.value, dict):
        _name_event(item, payload, envelope.get("event_id"))
        _name_address(payload, client_address)
    return b'"payload":' + payload.text


def _payload(item: Item) -> Payload | None:
    if item.type == "attachment":
        # A file is no item of ours: it stays as it is, white space and all.
        return None
    try:
        payload = Payload(item.payload)
    except (ValueError, RecursionError):
        return None
    return None if payload.value is None else payload


def _name_event(item: Item, payload: Payload, event_id: object) -> None:
    if item.type in _NAMED_BY_ENVELOPE and is_event_id(event_id) and "event_id" not in payload.value:
        payload.add("event_id", str(event_id))


def _name_address(payload: Payload, client_address: str) -> None:
    """A browser does not know its address: where the page names its user, the place is left free or open."""
    user = payload.value.get("user")
    if not isinstance(user, dict) or not user:
        return
    asked = user.get("ip_address") == "{{auto}}"
    sdk = payload.value.get("sdk")
    settings = sdk.get("settings") if isinstance(sdk, dict) else None
    inferred = isinstance(settings, dict) and settings.get("infer_ip") == "auto"
    if client_address and (asked or (inferred and "ip_address" not in user)):
        payload.change({**payload.value, "user": {**user, "ip_address": client_address}})
    elif asked:
        known = {name: value for name, value in user.items() if name != "ip_address"}
        payload.change({**payload.value, "user": known})
