"""One line of a batch: decoded, then routed to its project."""

import hashlib
import re
from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

import msgspec
from errata_wire.limits import (
    HEAD_BYTES,
    ITEM_TYPE_MAX_LENGTH,
    LINE_MAX_BYTES,
    RECORDING,
    RECORDING_LINE_MAX_BYTES,
)

from api.ingest.lenient import repaired
from api.ingest.moment import moment
from errata.scrubbing import in_our_words

OFFSET = re.compile(r"\(byte (\d+)\)|\(char (\d+)\)")


class WireItem(msgspec.Struct):
    """A line as sent."""

    type: str
    payload: msgspec.Raw = msgspec.Raw(b"")
    payload_b64: str | None = None
    app_key: str | None = None
    logged_at: str | None = None
    headers: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """The refusal of a line: `line` counts from 1, `reason` is of the closed list."""

    line: int
    reason: str
    message: str
    offset: int = 0


@dataclass(frozen=True)
class Item:
    """An accepted item. `payload` is scrubbed and decoded, of an event what is read of it (`SentEvent`);
    `content` is what a kind of items opens that are no JSON: a `Recording`, or the bytes of a file.

    `payload_json` is the scrubbed payload as JSON, `payload_as_sent` the client's own.
    """

    project_id: int
    service: str
    type: str
    headers: dict[str, Any]
    payload: dict[str, Any]
    content: object
    logged_at: datetime | None
    payload_as_sent: bytes
    payload_json: bytes = b"{}"
    country: str = ""
    """Of its sender; empty: unknown."""
    host: str = ""
    """Whose shipper delivered it; empty: none was named."""

    @cached_property
    def content_id(self) -> UUID:
        """Hash of project, type and payload bytes as sent: the id of an item whose type has none."""
        content = hashlib.blake2b(f"{self.project_id}\0{self.type}\0".encode(), digest_size=16)
        content.update(self.payload_as_sent)
        return UUID(bytes=content.digest())


@dataclass(slots=True)
class Line:
    """A line with its envelope decoded, enough to route it. `payload` is still JSON, `as_sent` the client's
    bytes."""

    number: int
    type: str
    app_key: str
    logged_at: datetime | None
    headers: dict[str, Any]
    payload: bytes
    binary: bytes
    as_sent: bytes


Rows = dict[str, list[dict[str, Any]]]
"""Rows to insert by table name, e.g. {"errata_raw.page_views": [{…}]}."""

_decode_wire = msgspec.json.Decoder(WireItem).decode


def decode(
    number: int,
    line: bytes,
    line_max_bytes: int = LINE_MAX_BYTES,
    recording_line_max_bytes: int = RECORDING_LINE_MAX_BYTES,
) -> Line | Rejection:
    """The item of a line, or its refusal. Never raises. Only recordings that name their type first may be
    longer than other lines."""
    most = recording_line_max_bytes if RECORDING.match(line[:HEAD_BYTES]) else line_max_bytes
    if len(line) > most:
        return Rejection(number, "line_too_large", f"{len(line)} bytes; the limit is {most}")
    try:
        return _checked(number, _decode_wire(line), line)
    except RecursionError:
        return Rejection(number, "invalid_json", "The line is nested too deeply")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _decode_leniently(number, line, error)


def _decode_leniently(number: int, line: bytes, first: Exception) -> Line | Rejection:
    whole = repaired_or_refused(number, line, first)
    if isinstance(whole, Rejection):
        return whole
    try:
        return _checked(number, _decode_wire(whole), line)
    except RecursionError:
        return Rejection(number, "invalid_json", "The line is nested too deeply")
    except msgspec.DecodeError as error:
        return Rejection(number, "invalid_item", str(error))


def repaired_or_refused(number: int, text: bytes, first: Exception) -> bytes | Rejection:
    """JSON that `first` says cannot be decoded, made valid."""
    try:
        return repaired(text)
    except RecursionError:
        return Rejection(number, "invalid_json", "The line is nested too deeply")
    except ValueError:
        match = OFFSET.search(str(first))
        offset = int(match[1] or match[2]) if match else 0
        return Rejection(number, "invalid_json", str(first), offset)


def _checked(number: int, wire: WireItem, line: bytes) -> Line | Rejection:
    if not wire.type or len(wire.type) > ITEM_TYPE_MAX_LENGTH:
        return Rejection(number, "invalid_item", f"`type` must be 1 to {ITEM_TYPE_MAX_LENGTH} characters")
    payload, binary = bytes(wire.payload), b""
    if wire.payload_b64 is not None:
        try:
            binary = b64decode(wire.payload_b64, validate=True)
        except (Base64Error, ValueError):
            return Rejection(number, "invalid_item", "`payload_b64` is not base64")
        payload = b""
    elif payload in (b"", b"null"):
        return Rejection(number, "invalid_item", "The item has neither `payload` nor `payload_b64`")
    logged_at = moment(wire.logged_at)
    if wire.logged_at is not None and logged_at is None:
        return Rejection(number, "invalid_item", "`logged_at` is not an ISO 8601 time")
    return Line(
        number,
        wire.type,
        wire.app_key or "",
        logged_at,
        wire.headers or {},
        in_our_words(payload),
        binary,
        binary or payload,
    )
