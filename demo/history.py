"""Weeks before today, made of page loads captured in a real browser."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from errata_sdk.line import line_of

from demo import captured

# The second was slower at its checkout, the third mended it.
RELEASES = ("shop-web@1.0.0", "shop-web@1.1.0", "shop-web@1.2.0")


def write(logs: Path, app_key: str, weeks: int, now: datetime) -> int:
    """A log file for each day of the weeks before today, as if the shipper had been away; how many lines."""
    known = [*captured.envelopes()]
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    count = 0
    for days_ago in range(weeks * 7, 0, -1):
        release = RELEASES[(weeks * 7 - days_ago) * len(RELEASES) // (weeks * 7)]
        count += _write_day(logs, app_key, today - timedelta(days=days_ago), _of_release(known, release))
    return count


def _of_release(known: list[dict[str, Any]], release: str) -> list[dict[str, Any]]:
    return [envelope for envelope in known if f'"{release}"' in captured.text_of(envelope)]


def _write_day(logs: Path, app_key: str, day: datetime, envelopes: list[dict[str, Any]]) -> int:
    path = logs / f"errata-{day:%Y-%m-%d}.log"
    if path.exists():
        return 0
    lines = [line for envelope in envelopes for line in _lines(envelope, app_key, day)]
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(lines)
    return len(lines)


def _lines(envelope: dict[str, Any], app_key: str, day: datetime) -> Iterator[bytes]:
    # The time of day stays the one of the capture.
    sent = captured.sent_at(envelope)
    shift = day.date() - sent.date()
    at = (sent + shift).astimezone(UTC).timestamp()
    for item in envelope["items"]:
        payload = captured.moved(item["payload"], shift, f"{day:%Y-%m-%d}")
        yield line_of(item["headers"]["type"], app_key, item["headers"], payload, now=at)
