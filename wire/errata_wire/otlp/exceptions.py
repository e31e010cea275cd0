"""Exceptions that spans and log records tell, as events of the Sentry protocol."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errata_wire.envelope import Item
from errata_wire.otlp.attributes import Origin, first, text
from errata_wire.otlp.raised import Raised
from errata_wire.otlp.stacks import exceptions_of

PLATFORMS = {"nodejs": "node", "webjs": "javascript", "dotnet": "csharp", "cpp": "native", "swift": "cocoa"}
LONGEST_VALUE = 8_000
# Attributes of the semantic conventions that are shown elsewhere.
SHOWN = ("exception.type", "exception.message", "exception.stacktrace", "exception.escaped")


@dataclass(frozen=True)
class Told:
    """Where an exception was told: `seconds` since 1970, ids in hexadecimal digits, empty without one.
    `log`: the body of the record."""

    seconds: float
    trace_id: str
    span_id: str
    transaction: str
    level: str = "error"
    log: str = ""


def is_exception(attributes: Mapping[str, Any]) -> bool:
    return bool(first(attributes, "exception.type", "exception.message", "exception.stacktrace"))


def event_item(origin: Origin, attributes: Mapping[str, Any], told: Told) -> Item:
    """The event. A span and a log record that tell the same exception give it the same id: it counts once."""
    stack = text(attributes, "exception.stacktrace")
    type_, value = text(attributes, "exception.type"), text(attributes, "exception.message")
    chain = exceptions_of(origin.language, stack) or [Raised()]
    chain[-1].type = type_ or chain[-1].type
    # An instrumentation of logging tells only the first argument of the exception.
    chain[-1].value = chain[-1].value or value
    escaped = attributes.get("exception.escaped")
    payload: dict[str, Any] = {
        "event_id": _event_id(told, type_, value, stack),
        "timestamp": told.seconds,
        "level": told.level,
        "platform": PLATFORMS.get(origin.language, origin.language or "other"),
        "exception": {"values": [_shown(one, origin.language) for one in chain]},
        "sdk": origin.sdk,
        "contexts": {"otel": {"attributes": _others(attributes), "resource": origin.attributes}},
        "tags": {"service.name": origin.service} if origin.service else {},
    }
    if escaped in (True, "true", "True"):
        payload["exception"]["values"][-1]["mechanism"] = {"type": "opentelemetry", "handled": False}
    if told.trace_id:
        payload["contexts"]["trace"] = {"trace_id": told.trace_id, "span_id": told.span_id}
    named = {
        "release": origin.release,
        "environment": origin.environment,
        "server_name": origin.server_name,
        "transaction": told.transaction,
    }
    payload |= {name: value for name, value in named.items() if value}
    if user := _user(attributes):
        payload["user"] = user
    extra = {"log": told.log[:LONGEST_VALUE]}
    if not any(one.frames for one in chain):
        extra["exception.stacktrace"] = stack[:LONGEST_VALUE]
    payload["extra"] = {name: value for name, value in extra.items() if value}
    return Item("event", {}, json.dumps(payload, separators=(",", ":"), default=str).encode())


def _event_id(told: Told, type_: str, value: str, stack: str) -> str:
    """Of the span and the stack; without a span, of the moment, too. Types are told with and without their
    module."""
    own = stack or f"{type_.rpartition('.')[2]}\0{value}"
    place = f"{told.trace_id}{told.span_id}" if told.span_id else f"{told.trace_id}{told.seconds:.6f}"
    return hashlib.blake2b(f"{place}\0{own}".encode("utf-8", "replace"), digest_size=16).hexdigest()


def _shown(raised: Raised, language: str) -> dict[str, Any]:
    module, _, name = raised.type.rpartition("." if language != "php" else "\\")
    shown: dict[str, Any] = {"type": name or "Error", "value": raised.value[:LONGEST_VALUE]}
    if module and language in ("python", "java", "dotnet", "php"):
        shown["module"] = module
    elif module:
        shown["type"] = raised.type
    if raised.frames:
        shown["stacktrace"] = {"frames": raised.frames}
    return shown


def _others(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name not in SHOWN}


def _user(attributes: Mapping[str, Any]) -> dict[str, Any]:
    fields = {"id": ("user.id", "enduser.id"), "email": ("user.email",), "username": ("user.name",)}
    return {name: found for name, names in fields.items() if (found := text(attributes, *names))}
