"""Fields of an event that its variant does not keep: rules that read them act on new events only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errata.grouping.text import text_of

MAX_FIELD = 1024

_PLAIN = frozenset(
    {"transaction", "release", "dist", "environment", "server_name", "level", "logger", "platform"}
)
NAMES = frozenset(
    {"transaction", "release", "dist", "environment", "server_name", "level", "logger"}
    | {"sdk", "url", "method", "mechanism", "handled"}
)
PREFIXES = ("tags.", "user.", "extra.")


def sent_field(payload: Mapping[str, Any], name: str) -> str:
    """The field's text; empty where the event has none."""
    if name in _PLAIN:
        return text_of(payload.get(name), MAX_FIELD)
    if name == "sdk":
        return text_of(_mapping(payload.get("sdk")).get("name"), MAX_FIELD)
    if name in ("url", "method"):
        return text_of(_mapping(payload.get("request")).get(name), MAX_FIELD)
    if name in ("mechanism", "handled"):
        return _mechanism(payload, name)
    holder, _, key = name.partition(".")
    if holder == "tags":
        return _tag(payload.get("tags"), key)
    return _flag_or_text(_mapping(payload.get(holder)).get(key))


def _mechanism(payload: Mapping[str, Any], name: str) -> str:
    exception = payload.get("exception")
    values = exception.get("values") if isinstance(exception, dict) else exception
    raised = _mapping(values[-1]) if isinstance(values, list) and values else {}
    return _flag_or_text(_mapping(raised.get("mechanism")).get("type" if name == "mechanism" else name))


def _tag(tags: object, key: str) -> str:
    for pair in tags if isinstance(tags, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and pair[0] == key:
            return _flag_or_text(pair[1])
    return _flag_or_text(_mapping(tags).get(key))


def _flag_or_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return text_of(value, MAX_FIELD)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
