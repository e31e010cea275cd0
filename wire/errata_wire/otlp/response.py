"""The forms of OTLP's bodies, and the response to a request that isn't taken. Needs no extra."""

import json
from dataclasses import dataclass

from errata_wire.refusal import Refused

PROTOBUF, JSON = "application/x-protobuf", "application/json"


@dataclass(frozen=True)
class Answer:
    content_type: str
    body: bytes


def content_type_of(header: str) -> str:
    """Raises Refused for a type that is neither protobuf nor JSON."""
    kind = header.partition(";")[0].strip().lower()
    if kind in ("application/protobuf", PROTOBUF):
        return PROTOBUF
    if kind == JSON:
        return JSON
    raise Refused(415, f"unknown Content-Type {kind[:60]!r}; send {PROTOBUF} or {JSON}")


def refusal(detail: str, header: str) -> Answer:
    """The status in the form that a request with this Content-Type has; protobuf if it names neither."""
    try:
        return status_of(detail, content_type_of(header))
    except Refused:
        return status_of(detail, PROTOBUF)


def status_of(detail: str, content_type: str) -> Answer:
    """`google.rpc.Status` with a message (github.com/googleapis/googleapis: google/rpc/status.proto)."""
    if content_type == JSON:
        return Answer(JSON, json.dumps({"message": detail}).encode())
    said = detail.encode()[:10_000]
    # Field 2, a string: its tag, its length as a varint, its bytes.
    length, size = bytearray(), len(said)
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    length.append(size)
    return Answer(PROTOBUF, b"\x12" + bytes(length) + said)
