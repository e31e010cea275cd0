"""Captured events, and events that no SDK would send."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"
WRONG: tuple[Any, ...] = (
    None,
    7,
    1.5,
    True,
    "text",
    [],
    {},
    [None, 3, "x", []],
    {"values": None},
    {"values": [None, 1]},
)
MARK = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{7*7}}"


@cache
def captured(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def all_captured() -> list[dict[str, Any]]:
    browser = [line.get("payload", line) for line in captured("browser_error_events")]
    return [*captured("python_errors"), *captured("javascript_errors"), *browser]


def marked(value: Any) -> Any:
    """The same shape with a hostile text in every key and value."""
    if isinstance(value, dict):
        known = {name: marked(item) for name, item in value.items()}
        return {**known, MARK: MARK}
    if isinstance(value, list):
        return [marked(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    return f"{value}{MARK}" if isinstance(value, str) else value


def misshapen(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The payload with each of its fields, two levels deep, replaced by what does not belong there."""
    for wrong in WRONG:
        for name, item in payload.items():
            yield {**payload, name: wrong}
            if isinstance(item, dict):
                for inner in item:
                    yield {**payload, name: {**item, inner: wrong}}
