"""Small events for grouping tests: valid by default, each argument what a test is about."""

from __future__ import annotations

from typing import Any

from errata.grouping import fingerprint_of, variant_of

Event = dict[str, Any]


def frame(function: str, module: str | None = "shop.orders", **other: Any) -> Event:
    file = f"{(module or 'shop').replace('.', '/')}.py"
    return {"module": module, "function": function, "filename": file, "in_app": True, "lineno": 7} | other


def vendor(function: str, module: str = "flask.app") -> Event:
    return frame(function, module, in_app=False)


def exception(type_: str | None, value: Any, *frames: Event, **other: Any) -> Event:
    return {"type": type_, "value": value, "stacktrace": {"frames": list(frames)}} | other


def raised(*frames: Event, type_: str | None = "KeyError", value: Any = "'discount'", **other: Any) -> Event:
    return {"platform": "python", "exception": {"values": [exception(type_, value, *frames)]}} | other


def chain(*exceptions: Event, **other: Any) -> Event:
    return {"platform": "python", "exception": {"values": list(exceptions)}} | other


def issue(event: Event) -> int:
    return fingerprint_of(variant_of(event).shape).fingerprint_hash


def rule(event: Event) -> str:
    return str(fingerprint_of(variant_of(event).shape).explanation["rule"])
