"""An error event as a row: columns for filters, beside the whole scrubbed payload."""

from datetime import datetime
from typing import Any
from uuid import UUID

from api.ingest.item import Item
from api.ingest.moment import occurred_at
from api.ingest.values import mapping, user_hash, warehouse_time
from errata.client_software import client_software
from errata.grouping import Variant
from errata.nil import NIL

TAGS_MAX = 200


def event_id(item: Item) -> UUID:
    """The event's own id; without a usable one, the hash of its content."""
    own = uuid_of(item.payload.get("event_id"))
    return own if own is not None and own.int else item.content_id


def event_row(item: Item, variant: Variant, received_at: datetime) -> dict[str, Any]:
    """A row of errata_raw.error_events; its payload is JSON as bytes."""
    payload = item.payload
    moment, is_corrected = occurred_at(payload.get("timestamp"), item.logged_at, received_at)
    request = mapping(payload.get("request"))
    contexts = mapping(payload.get("contexts"))
    trace = mapping(contexts.get("trace"))
    tags = tags_of(payload.get("tags"))
    client = client_software(contexts, request)
    return {
        "project_id": item.project_id,
        "variant_hash": variant.variant_hash,
        "occurred_at": warehouse_time(moment),
        "item_id": str(event_id(item)),
        "is_clock_corrected": is_corrected,
        "level": text(payload.get("level"), 32) or "error",
        "platform": text(payload.get("platform"), 64),
        "environment": text(payload.get("environment"), 64),
        "release": text(payload.get("release"), 250),
        "server_name": text(payload.get("server_name"), 250),
        "service": item.service,
        "transaction": text(payload.get("transaction"), 200),
        "logger": text(payload.get("logger"), 200),
        "type": variant.type[:200],
        "message": variant.value[:1000],
        "is_handled": is_handled(payload),
        **_user(mapping(payload.get("user"))),
        "trace_id": str(uuid_of(trace.get("trace_id")) or NIL),
        "replay_id": str(uuid_of(tags.get("replayId")) or NIL),
        "request_method": text(request.get("method"), 16),
        "request_url": text(request.get("url"), 2000),
        "browser": client.browser,
        "os": client.os,
        "device": client.device,
        "tags": tags,
        "payload": item.payload_json,
        "has_payload": True,
    }


def _user(user: dict[str, Any]) -> dict[str, Any]:
    user_id, email, address = user.get("id"), user.get("email"), user.get("ip_address")
    name = user.get("name") or user.get("username")
    return {
        "user_id": text(user_id, 200),
        "user_email": text(email, 200),
        "user_name": text(name, 200),
        "user_ip": text(address, 64),
        "user_hash": user_hash(user_id, email, name, address),
    }


def is_handled(payload: dict[str, Any]) -> bool:
    """False if the mechanism of any exception says so."""
    exception = payload.get("exception")
    values = exception.get("values") if isinstance(exception, dict) else exception
    if not isinstance(values, list):
        return True
    mechanisms = (mapping(mapping(value).get("mechanism")) for value in values)
    return not any(mechanism.get("handled") is False for mechanism in mechanisms)


def tags_of(value: Any) -> dict[str, str]:
    """Tags. They are an object or a list of [name, value]."""
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = [(pair[0], pair[1]) for pair in value if isinstance(pair, list) and len(pair) == 2]
    else:
        return {}
    return {text(name, 200): text(tag, 200) for name, tag in pairs[:TAGS_MAX] if tag is not None}


def text(value: Any, longest: int) -> str:
    """A scalar as text, cut to length; anything else is empty."""
    if type(value) is str:
        return value[:longest]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)[:longest] if isinstance(value, int | float) else ""


def uuid_of(value: Any) -> UUID | None:
    if not isinstance(value, str) or len(value) not in (32, 36):
        return None
    try:
        return UUID(value)
    except ValueError:
        return None
