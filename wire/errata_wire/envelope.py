"""A Sentry envelope: a header line, then for each item its own header line and its payload."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from errata_wire.limits import ITEM_TYPE_MAX_LENGTH
from errata_wire.refusal import Refused

_BLANK = re.compile(rb"\s*")


class InvalidEnvelope(Refused, ValueError):
    """A body that is not an envelope."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(400, f"invalid envelope: byte {at}: {what}")


@dataclass(frozen=True)
class Item:
    type: str
    headers: dict[str, Any]
    payload: bytes


@dataclass(frozen=True)
class Envelope:
    headers: dict[str, Any]
    items: list[Item]


def parse(body: bytes) -> Envelope:
    """The whole envelope; InvalidEnvelope if any part of it is invalid, so that no half of it is written."""
    end = _line_end(body, 0)
    return Envelope(_object(body[:end], at=0), list(_items(body, end + 1)))


def _items(body: bytes, at: int) -> Iterator[Item]:
    while (at := _behind_blank(body, at)) < len(body):
        end = _line_end(body, at)
        headers = _object(body[at:end], at)
        stop = _payload_end(body, end + 1, headers.get("length"))
        yield Item(_type(headers, at), headers, body[end + 1 : stop])
        at = stop + 1


def _behind_blank(body: bytes, at: int) -> int:
    """At once: millions of empty lines fit into a small compressed body."""
    found = _BLANK.match(body, at)
    return found.end() if found else at


def _type(headers: dict[str, Any], at: int) -> str:
    item_type = headers.get("type")
    if not isinstance(item_type, str) or not 1 <= len(item_type) <= ITEM_TYPE_MAX_LENGTH:
        raise InvalidEnvelope(at, "an item has no type")
    return item_type


def _payload_end(body: bytes, start: int, length: Any) -> int:
    if length is None:
        return _line_end(body, start)
    if type(length) is not int or length < 0:
        raise InvalidEnvelope(start, "an item's length is not a number")
    if start + length > len(body):
        raise InvalidEnvelope(start, f"an item of {length} bytes extends past the body")
    return start + length


def _line_end(body: bytes, start: int) -> int:
    end = body.find(b"\n", start)
    return len(body) if end < 0 else end


def _object(line: bytes, at: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidEnvelope(at, "a header is not JSON") from error
    if not isinstance(value, dict):
        raise InvalidEnvelope(at, "a header is not an object")
    return value
