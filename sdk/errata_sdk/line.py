"""An item as a line of the log file."""

import base64
import json
import math
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from errata_sdk.scrub import printed_words, scrubbed, without_printed_secrets

# Headers that say nothing a line does not say already.
_IMPLIED = {"type", "length"}


def line_of(
    item_type: str, app_key: str, headers: Mapping[str, Any], payload: Any, *, now: float | None = None
) -> bytes:
    """The line of an item whose payload is JSON, scrubbed."""
    return _line(item_type, app_key, headers, f'"payload":{_scrubbed_json(payload)}', now)


def binary_line_of(
    item_type: str, app_key: str, headers: Mapping[str, Any], payload: bytes, *, now: float | None = None
) -> bytes:
    """The line of an item whose payload is not JSON."""
    encoded = base64.b64encode(payload).decode("ascii")
    return _line(item_type, app_key, headers, f'"payload_b64":"{encoded}"', now)


def _line(item_type: str, app_key: str, headers: Mapping[str, Any], payload: str, now: float | None) -> bytes:
    head: dict[str, Any] = {"type": item_type, "app_key": app_key, "logged_at": _moment(now)}
    own = {name: value for name, value in headers.items() if name not in _IMPLIED}
    if own and own != {"content_type": "application/json"}:
        payload = f'"headers":{_scrubbed_json(own)},{payload}'
    return f"{_json(head)[:-1]},{payload}}}\n".encode("ascii")


def _scrubbed_json(value: Any) -> str:
    clean = scrubbed(value)
    text = _json(clean)
    words = printed_words(text)
    if not words:
        return text
    cleaner = without_printed_secrets(clean, words)
    return text if cleaner is clean else _json(cleaner)


def _moment(now: float | None) -> str:
    at = datetime.fromtimestamp(time.time() if now is None else now, UTC)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _json(value: Any) -> str:
    # ASCII escapes carry lone surrogates, which UTF-8 cannot.
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"), default=repr)
    except (ValueError, TypeError):
        text = json.dumps(_plain(value), allow_nan=False, separators=(",", ":"), default=repr)
    # What a Sentry SDK has filtered itself is written the way Errata writes it.
    return text.replace("[Filtered]", "[FILTERED]")


def _plain(value: Any) -> Any:
    """JSON has no NaN, no infinity and no keys but text: they become their names."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
