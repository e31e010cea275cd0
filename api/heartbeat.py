"""The health of the pipelines, by a file they touch."""

import time
from collections.abc import Callable
from pathlib import Path

from api.context import Check

STALE_AFTER_SECONDS = 120


def heartbeat_check(path: Path | None, clock: Callable[[], float] = time.time) -> Check:
    """A check: `off` without a path; `starting` until the file exists; `failing` when it is no longer
    touched."""

    def check() -> str:
        if path is None:
            return "off"
        try:
            touched_at = path.stat().st_mtime
        except FileNotFoundError:
            return "starting"
        return "ok" if clock() - touched_at < STALE_AFTER_SECONDS else "failing"

    return check
