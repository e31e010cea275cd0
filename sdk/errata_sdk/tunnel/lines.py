"""What a browser's envelope becomes in the log file."""

import json
from typing import Any

from errata_wire.completion import BINARY, NAMED_BY_ENVELOPE, completed_headers, completed_user
from errata_wire.envelope import Item, parse

from errata_sdk.line import binary_line_of, line_of
from errata_sdk.log_file import LogFile


def append_envelope(body: bytes, app_key: str, log_file: LogFile, client_address: str = "") -> int:
    """Write the items of a browser's envelope to the log; how many were written.

    Nothing is written of a body that is not an envelope; this raises a ValueError.
    """
    envelope = parse(body)
    lines = (_line(item, envelope.headers, app_key, client_address) for item in envelope.items)
    return sum(map(log_file.append, lines))


def _line(item: Item, envelope: dict[str, Any], app_key: str, client_address: str) -> bytes:
    headers = completed_headers(item, envelope)
    if item.type in BINARY:
        return binary_line_of(item.type, app_key, headers, item.payload)
    try:
        payload = json.loads(item.payload)
    except (ValueError, RecursionError):
        return binary_line_of(item.type, app_key, headers, item.payload)
    if isinstance(payload, dict):
        if item.type in NAMED_BY_ENVELOPE and envelope.get("event_id"):
            payload.setdefault("event_id", envelope["event_id"])
        user = completed_user(payload, client_address)
        if user is not None:
            payload["user"] = user
    return line_of(item.type, app_key, headers, payload)
