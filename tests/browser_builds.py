"""The captured shop's builds and errors: bundles with source maps, and events in minified frames."""

import io
import tarfile
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from tests.captures import payloads

BUILDS = Path(__file__).parent / "data" / "browser" / "builds.tar.gz"
RELEASES = ("1.0.0", "1.1.0")


def extract_builds(directory: Path) -> Path:
    """The folder with one build a release: 1.1.0 carries debug ids, 1.0.0 does not."""
    with tarfile.open(BUILDS) as archive:
        archive.extractall(directory, filter="data")
    return directory


def zipped(directory: Path) -> bytes:
    """The build's folder as a plain upload has it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(directory.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(directory))
    return stream.getvalue()


def browser_errors(releases: Sequence[str] = RELEASES) -> list[dict[str, Any]]:
    """Captured errors of these releases, as if they had happened just now."""
    now = datetime.now(UTC).timestamp()
    named = {f"shop-web@{release}" for release in releases}
    return [
        {**payload, "timestamp": now}
        for payload in payloads("browser_error_events")
        if payload["release"] in named
    ]


def lines(events: Sequence[dict[str, Any]]) -> bytes:
    now = datetime.now(UTC).isoformat()
    items = [{"type": "event", "logged_at": now, "payload": event} for event in events]
    return b"".join(msgspec.json.encode(item) + b"\n" for item in items)
