"""JSON as real SDKs write it."""

import json
import math
import re

LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def repaired(text: bytes | str) -> bytes:
    """JSON made valid. Real SDKs write NaN, numbers out of range and lone surrogates: an event is worth more
    than they are."""
    decoded = json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    return LONE_SURROGATE.sub("\ufffd", json.dumps(decoded, ensure_ascii=False)).encode()


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None
