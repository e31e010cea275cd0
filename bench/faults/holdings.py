"""What the service holds of each run: events stored, events counted."""

import threading
import time
from collections import Counter
from collections.abc import Sequence

import urllib3

from bench.faults.tenant import Tenant
from bench.service import Service
from errata.errors import ErrataError
from errata.warehouse.roles import Role

LOOK_SECONDS = 0.2
ANSWERED_WITHIN_SECONDS = 60


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
        raise Unanswered

    def counted(self, tenant: Tenant, api_key: str, environment: str) -> int:
        """What the issue list says."""
        url = f"{self._base_url}/api/projects/{tenant.project}/issues"
        headers = {"Authorization": f"Bearer {api_key}"}
        fields = {"limit": "200", "period": "90d", "environment": environment}
        deadline = time.monotonic() + ANSWERED_WITHIN_SECONDS
        while time.monotonic() < deadline:
            try:
                answer = self._pool.request("GET", url, headers=headers, fields=fields)
            except urllib3.exceptions.HTTPError:
                time.sleep(LOOK_SECONDS)
                continue
            if answer.status == 200:
                return sum(int(issue["event_count"]) for issue in answer.json()["issues"])
            time.sleep(LOOK_SECONDS)
        raise Unanswered

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
