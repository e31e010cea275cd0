"""An item as a line of the log file."""

import base64
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from errata_wire.completion import IMPLIED_HEADERS
from errata_wire.secret_text import SPAN_IDS

from errata_sdk.scrub import scrubbed


def line_of(
    item_type: str, app_key: str, headers: Mapping[str, Any], payload: Any, *, now: float | None = None
) -> bytes:
    """The line of an item whose payload is JSON, scrubbed."""
    return _line(item_type, app_key, headers, f'"payload":{_json(scrubbed(payload, SPAN_IDS))}', now)


def binary_line_of(
    item_type: str, app_key: str, headers: Mapping[str, Any], payload: bytes, *, now: float | None = None
) -> bytes:
    """The line of an item whose payload is not JSON."""
    encoded = base64.b64encode(payload).decode("ascii")
    return _line(item_type, app_key, headers, f'"payload_b64":"{encoded}"', now)


def _line(item_type: str, app_key: str, headers: Mapping[str, Any], payload: str, now: float | None) -> bytes:
    head: dict[str, Any] = {"type": item_type, "app_key": app_key, "logged_at": _moment(now)}
    own = {name: value for name, value in headers.items() if name not in IMPLIED_HEADERS}
    if own and own != {"content_type": "application/json"}:
        payload = f'"headers":{_json(scrubbed(own))},{payload}'
    return f"{_json(head)[:-1]},{payload}}}\n".encode("ascii")


def _moment(now: float | None) -> str:
    at = datetime.fromtimestamp(time.time() if now is None else now, UTC)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _json(value: Any) -> str:
    # ASCII escapes carry lone surrogates, which UTF-8 cannot.
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    # What a Sentry SDK has filtered itself is written the way Errata writes it.
    return text.replace("[Filtered]", "[FILTERED]")
