"""What the service holds of each run: events stored, events counted."""

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import urllib3

from errata.errors import ErrataError
from errata.warehouse.roles import Role
from tests.flow.faults.tenant import Tenant
from tests.service import Service

LOOK_SECONDS = 0.2
ANSWERED_WITHIN_SECONDS = 60
# Longer than any clock jumps.
PERIOD = "90d"
MOST_LISTED = "200"


class Unanswered(Exception):
    """The service did not answer within a minute."""


class Holdings:
    """Asks again while a part of the service is being restarted."""

    def __init__(self, service: Service) -> None:
        self._base_url = service.credentials["base_url"]
        self._warehouse = service.warehouse(Role.ADMIN)
        self._pool = urllib3.PoolManager(retries=False, timeout=10)
        self._watched: Sequence[str] = ()
        self._stored: dict[str, frozenset[str]] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def watch(self, environments: Sequence[str]) -> None:
        self._watched = environments

    def stored(self, environment: str) -> frozenset[str]:
        """The ids of a watched environment's events, as of a moment ago."""
        return self._stored.get(environment, frozenset())

    def copies(self, environment: str) -> Counter[str]:
        """Each stored event's id, and how often it is stored."""
        deadline = time.monotonic() + ANSWERED_WITHIN_SECONDS
        while time.monotonic() < deadline:
            try:
                rows = self._warehouse.rows(
                    "select item_id, count() as copies from errata_raw.error_events "
                    "where environment = {environment:String} group by item_id",
                    {"environment": environment},
                )
            except ErrataError:
                time.sleep(LOOK_SECONDS)
                continue
            return Counter({row["item_id"].hex: int(row["copies"]) for row in rows})
        raise Unanswered(environment)

    def counted(self, tenant: Tenant) -> Counter[str]:
        """The issue list's events, by exception type."""
        path = f"/api/projects/{tenant.project}/issues"
        answer = self._get(path, tenant.api_key, {"limit": MOST_LISTED, "period": PERIOD})
        assert answer["next_cursor"] is None
        counts: Counter[str] = Counter()
        for issue in answer["issues"]:
            counts[issue["type"]] += int(issue["event_count"])
        return counts

    def missing_bytes(self, tenant: Tenant) -> dict[str, int]:
        """What the delivery ledger says will never come, by file id."""
        path = f"/api/projects/{tenant.project}/delivery"
        answer = self._get(path, tenant.api_key, {"limit": MOST_LISTED, "period": PERIOD})
        # Files with bytes missing are listed first.
        files = {row["file_id"]: int(row["missing_bytes"]) for row in answer["delivery"]}
        return {file_id: missing for file_id, missing in files.items() if missing}

    def _get(self, path: str, api_key: str, fields: Mapping[str, str]) -> Any:
        headers = {"Authorization": f"Bearer {api_key}"}
        deadline = time.monotonic() + ANSWERED_WITHIN_SECONDS
        while time.monotonic() < deadline:
            try:
                answer = self._pool.request("GET", self._base_url + path, headers=headers, fields=fields)
            except urllib3.exceptions.HTTPError:
                time.sleep(LOOK_SECONDS)
                continue
            if answer.status == 200:
                return answer.json()
            time.sleep(LOOK_SECONDS)
        raise Unanswered(path)

    def close(self) -> None:
        self._stopping.set()
        self._thread.join()
        self._warehouse.close()

    def _look(self) -> None:
        sql = (
            "select environment, groupUniqArray(replaceAll(toString(item_id), '-', '')) as ids "
            "from errata_raw.error_events where environment in {watched:Array(String)} group by environment"
        )
        while not self._stopping.wait(LOOK_SECONDS):
            try:
                rows = self._warehouse.rows(sql, {"watched": list(self._watched)})
            except ErrataError:
                continue
            self._stored = {row["environment"]: frozenset(row["ids"]) for row in rows}
