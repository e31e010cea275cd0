"""Long animation frames of captured page loads, as SDKs sent them."""

from collections.abc import Iterator
from typing import Any

from tests.captures import envelopes

Script = tuple[str, str, str, str, int]


def frames_sent(generation: str) -> Iterator[tuple[float, Script]]:
    """Start in unix seconds, and the script: its invoker, kind of invoker, file, function and position."""
    for envelope in envelopes(generation):
        for item in envelope["items"]:
            payload = item.get("payload") or {}
            for span in payload.get("items" if generation == "v11" else "spans") or []:
                data: dict[str, Any] = span.get("data") or {
                    name: each["value"] for name, each in (span.get("attributes") or {}).items()
                }
                if data.get("sentry.op", "").replace("_", "-") == "ui.long-animation-frame":
                    yield span["start_timestamp"], script_sent(data)


def script_sent(data: dict[str, Any]) -> Script:
    return (
        data["browser.script.invoker"],
        data["browser.script.invoker_type"],
        data.get("code.file.path") or data["code.filepath"],
        data.get("code.function.name") or data.get("code.function") or "",
        data["browser.script.source_char_position"],
    )
