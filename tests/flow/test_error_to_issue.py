"""The whole path through real processes: an exception in an application becomes an issue on a page."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import urllib3

from errata.up.data_directory import DataDirectory
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role, load_or_create_passwords
from pipelines.builder.due import build_due
from pipelines.builder.lease import Pace
from pipelines.builder.mart import BuildReport

ROOT = Path(__file__).resolve().parents[2]
PATHS = os.pathsep.join(str(ROOT / part) for part in (".", "shipper", "sdk"))
LISTED_WITHIN_SECONDS = 20

APPLICATION = """
    import errata_sdk, sentry_sdk

    errata_sdk.init(
        app_key={app_key!r},
        storage_path={logs!r},
        environment="test",
        release="shop@1.0.0",
        traces_sample_rate=1.0,
    )
    sentry_sdk.set_user({{"id": "u-1", "email": "ann@example.org"}})


    def price(cart):
        return cart["discount"]


    with sentry_sdk.start_transaction(op="http.server", name="GET /cart", source="route"):
        for number in range({count}):
            try:
                price({{}})
            except KeyError as error:
                sentry_sdk.capture_exception(error)
    sentry_sdk.flush()
"""


@dataclass
class Journey:
    """A running service with a shipper beside it."""

    data: Path
    logs: Path
    credentials: dict[str, str]
    processes: "dict[str, subprocess.Popen[bytes]]"
    pool: urllib3.PoolManager

    def get(self, path: str) -> Any:
        answer = self.pool.request(
            "GET",
            f"{self.credentials['base_url']}{path}",
            headers={"Authorization": f"Bearer {self.credentials['api_key']}"},
        )
        assert answer.status == 200, answer.data
        return answer.json()

    def issues(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.get(f"/api/projects/{self.credentials['project']}/issues")[
            "issues"
        ]
        return listed

    @property
    def shipper_log(self) -> Path:
        return self.data.parent / "shipper.log"

    def start_shipper(self) -> None:
        config = self.data.parent / "errata.yaml"
        config.touch(0o600)
        config.write_text(
            f"errata:\n  apiKey: {self.credentials['api_key']}\n  appKey: {self.credentials['app_key']}\n"
            f"  baseUrl: {self.credentials['base_url']}\n  storagePath: {self.logs}\n  flushInterval: 500ms\n"
        )
        with self.shipper_log.open("ab") as log:
            self.processes["shipper"] = start(
                "errata_shipper", "--config", str(config), "--record", stderr=log
            )

    def run_application(self, count: int) -> None:
        program = textwrap.dedent(APPLICATION).format(
            app_key=self.credentials["app_key"], logs=str(self.logs), count=count
        )
        subprocess.run([sys.executable, "-c", program], check=True, env=environment(), timeout=240)

    def build_up_to_now(self) -> list[BuildReport]:
        """`errata build` leaves what came in the last minute to the next build."""
        directory = DataDirectory(self.data)
        password = load_or_create_passwords(directory.warehouse_passwords_path)[Role.BUILD]
        address = directory.warehouse_address_path.read_text().strip()
        warehouse = Warehouse(f"http://{Role.BUILD.value}:{password}@{address}")
        return list(build_due(warehouse, pace=Pace(lag=timedelta(0))))

    def wait_for(self, event_count: int) -> dict[str, Any]:
        deadline = time.monotonic() + LISTED_WITHIN_SECONDS
        while True:
            issues = self.issues()
            if issues and sum(issue["event_count"] for issue in issues) >= event_count:
                (issue,) = issues
                return issue
            assert time.monotonic() < deadline, f"listed: {issues}"
            time.sleep(0.2)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": PATHS}


def start(module: str, *arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments], cwd=ROOT, env=environment(), **options
    )


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Journey]:
    data, logs = tmp_path / "data", tmp_path / "logs"
    service = start("errata", "up", "--data", str(data), "--no-pipelines", stdout=subprocess.PIPE)
    assert service.stdout is not None
    try:
        assert any(b"ready at" in line for line in service.stdout)
        credentials = json.loads((data / "credentials.json").read_text())
        logs.mkdir()
        running = Journey(data, logs, credentials, {"service": service}, urllib3.PoolManager())
        running.start_shipper()
        yield running
        shipper = running.processes["shipper"]
        shipper.terminate()
        assert shipper.wait(20) == 0
        service.terminate()
        assert service.wait(30) == 0
    finally:
        for process in [service, *(running.processes.values() if "running" in locals() else ())]:
            if process.poll() is None:
                process.kill()
        service.stdout.close()


def counted(issues: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what only builds count: events by hour and by day."""
    return [{name: issue[name] for name in issue.keys() - {"hours", "days"}} for issue in issues]


@pytest.mark.timeout(240)
@pytest.mark.slow
def test_an_exception_becomes_an_issue_and_stays_counted_once(path: Journey) -> None:
    path.run_application(3)
    issue = path.wait_for(3)
    assert issue["title"] == "KeyError: 'discount'"
    assert (issue["event_count"], issue["user_count"], issue["status"]) == (3, 1, "unresolved")
    assert issue["first_release"] == issue["last_release"] == "shop@1.0.0"

    events = path.get(f"/api/issues/{issue['id']}/events")["events"]
    assert len({event["event_id"] for event in events}) == 3
    one = path.get(f"/api/events/{events[0]['event_id']}?format=json")
    assert "price" in json.dumps(one)

    # Killed and started again with its tracker removed, the shipper delivers everything twice.
    path.processes["shipper"].send_signal(signal.SIGKILL)
    path.processes["shipper"].wait(10)
    (path.logs / "tracker.json").unlink()
    path.start_shipper()
    path.run_application(2)
    assert path.wait_for(5)["event_count"] == 5

    # A build moves the counts from the live edge into the marts: none changes, nor by the next one.
    before = counted(path.issues())
    assert any(report.row_count for report in path.build_up_to_now())
    assert counted(path.issues()) == before
    built = subprocess.run(
        [sys.executable, "-m", "errata", "build", "--data", str(path.data)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    assert counted(path.issues()) == before
    endpoints = path.get(f"/api/projects/{path.credentials['project']}/performance/endpoints")["endpoints"]
    assert [(row["route"], row["call_count"]) for row in endpoints] == [("/cart", 2)]
