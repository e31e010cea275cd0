"""The items of a Sentry envelope: a header line, then for each item its own header line and its payload."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class EnvelopeError(ValueError):
    """A body that is not an envelope."""


@dataclass(frozen=True)
class EnvelopeItem:
    type: str
    headers: dict[str, Any]
    payload: bytes

    def json(self) -> Any:
        """The payload as JSON; ValueError if it is something else."""
        return json.loads(self.payload)


def header(body: bytes) -> dict[str, Any]:
    """The envelope's own header."""
    return _object(body.partition(b"\n")[0], at=0)


def items(body: bytes) -> Iterator[EnvelopeItem]:
    """The items in order; an EnvelopeError where the body stops being an envelope."""
    header(body)
    at = _line_end(body, 0) + 1
    while at < len(body):
        end = _line_end(body, at)
        if not body[at:end].strip():
            at = end + 1
            continue
        headers = _object(body[at:end], at)
        start = end + 1
        stop = _payload_end(body, start, headers.get("length"))
        yield EnvelopeItem(_type(headers, at), headers, body[start:stop])
        at = stop + 1


def _type(headers: dict[str, Any], at: int) -> str:
    item_type = headers.get("type")
    if not isinstance(item_type, str) or not item_type:
        raise EnvelopeError(f"byte {at}: an item's type is {item_type!r}")
    return item_type


def _payload_end(body: bytes, start: int, length: Any) -> int:
    if length is None:
        return _line_end(body, start)
    if not isinstance(length, int) or isinstance(length, bool) or length < 0:
        raise EnvelopeError(f"byte {start}: an item's length is {length!r}")
    if start + length > len(body):
        raise EnvelopeError(f"byte {start}: an item of {length} bytes extends past the body")
    return start + length


def _line_end(body: bytes, start: int) -> int:
    end = body.find(b"\n", start)
    return len(body) if end < 0 else end


def _object(line: bytes, at: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise EnvelopeError(f"byte {at}: a header is not JSON") from error
    if not isinstance(value, dict):
        raise EnvelopeError(f"byte {at}: a header is not an object")
    return value
