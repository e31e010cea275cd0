"""What each part of the service is asked, to show that it works."""

import http.client
import time
from pathlib import Path
from urllib.parse import urlsplit

from errata.up.answers import checks

ANSWER_WITHIN_SECONDS = 5
# The pipelines touch their file every 10 s.
STALE_AFTER_SECONDS = 60


def web_answers(base_url: str) -> bool:
    """Whether it tells its health, good or bad: a web without its warehouse works as well as it can."""
    return bool(checks(base_url, ANSWER_WITHIN_SECONDS))


def pipelines_answer(alive_path: Path) -> bool:
    return alive_path.exists() and time.time() - alive_path.stat().st_mtime < STALE_AFTER_SECONDS


class WarehouseQuestion:
    """Whether a warehouse runs a statement of the user in `url`; one that it has no memory for counts too.

    Over one connection: strangers who take all the others do not make a warehouse hung.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._user = {"X-ClickHouse-User": parts.username or "", "X-ClickHouse-Key": parts.password or ""}
        self._connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port, timeout=ANSWER_WITHIN_SECONDS
        )

    def __call__(self) -> bool:
        try:
            self._connection.request("POST", "/", b"select 1", self._user)
            answer = self._connection.getresponse()
            answer.read()
            return answer.status in (200, 500, 503)
        except (OSError, http.client.HTTPException):
            # The next question opens it again.
            self.close()
            return False

    def close(self) -> None:
        self._connection.close()
