"""The last backup is restored beside a running service, which sends nothing and leaves nothing behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import dagster as dg
import httpx2
import psutil
import pytest

from errata.backup.directory import BackupDirectory
from errata.warehouse.roles import Role
from pipelines.drill import drill_backup
from tests.captures import browser_items, moved, moved_to, payloads
from tests.cases import each
from tests.flow.test_backup import broken_event, build, command, deliver
from tests.service import ROOT, Service, running

# A drill starts a second service.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

DAYS_AGO = 5
RAW = ("error_events", "page_views", "page_resources", "requests", "spans", "sessions")


@dataclass(frozen=True)
class Scenario:
    service: Service
    backups: Path
    hooks: list[bytes]

    def drill(self) -> "subprocess.CompletedProcess[str]":
        return command("backup", "drill", self.backups, "--data", self.service.directory)

    @property
    def shown(self) -> dict[str, Any]:
        found: dict[str, Any] = self.get("/api/health")["backup"]
        return found

    def get(self, path: str) -> Any:
        return self.request("GET", path).json()

    def request(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        known = self.service.credentials
        headers = {"Authorization": f"Bearer {known['api_key']}"}
        return httpx2.request(method, f"{known['base_url']}{path}", json=body, headers=headers, timeout=60)

    def is_clean(self) -> bool:
        mine = str(self.service.directory / "drill")
        lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
        return not (self.service.directory / "drill").exists() and not any(mine in line for line in lines)


def old_lines() -> list[dict[str, Any]]:
    """Traffic of one day, some days ago."""
    noon = (datetime.now(UTC) - timedelta(days=DAYS_AGO)).replace(hour=12)
    by, logged_at = moved_to(noon), noon.isoformat()
    items = [
        {"type": item.type, "headers": item.headers, "payload": item.payload}
        for item in browser_items("v11", by, ("transaction", "span"))
    ][:150]
    items += [{"type": "transaction", "payload": moved(one, by)} for one in payloads("python_transactions")][
        :60
    ]
    for name in ("python_errors", "javascript_errors"):
        items += [{"type": "event", "payload": moved(one, by)} for one in payloads(name)][:60]
    return [{**item, "logged_at": logged_at} for item in items]


def late_event() -> dict[str, Any]:
    """Of the same day."""
    noon = (datetime.now(UTC) - timedelta(days=DAYS_AGO)).replace(hour=12).isoformat()
    event = broken_event(uuid4().hex)
    return {**event, "logged_at": noon, "payload": {**event["payload"], "timestamp": noon}}


def move_receipt_back(service: Service) -> None:
    """As if everything had been received on its day."""
    with_rights = service.warehouse(Role.ADMIN)
    today = datetime.now(UTC).date()
    for table in RAW:
        with_rights.execute(
            f"insert into errata_raw.{table} select * replace (received_at - toIntervalDay({DAYS_AGO}) as "
            f"received_at) from errata_raw.{table}"
        )
        with_rights.execute(f"alter table errata_raw.{table} drop partition '{today}'")
    with_rights.close()


@contextmanager
def hooked() -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server that takes everything, and what it got."""
    got: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/hook", got
    server.shutdown()
    server.server_close()
    thread.join()


SETTINGS = {"ERRATA_OUTGOING_NETWORKS": "127.0.0.0/8", "ERRATA_OUTGOING_HTTP": "true"}


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenario]:
    folder = tmp_path_factory.mktemp("drill")
    with (
        hooked() as (url, got),
        running("--no-pipelines", directory=folder / "data", settings=SETTINGS) as service,
    ):
        found = Scenario(service, folder / "backups", got)
        alert_on_new_issues(found, url)
        deliver(service, old_lines())
        move_receipt_back(service)
        build(service)
        taken = command("backup", found.backups, "--data", service.directory)
        assert taken.returncode == 0, taken.stderr
        yield found


def alert_on_new_issues(scenario: Scenario, url: str) -> None:
    channel = scenario.request(
        "POST", "/api/alert-channels", {"kind": "webhook", "name": "Ops", "settings": {"url": url}}
    )
    assert channel.status_code == 201, channel.text
    project = scenario.service.credentials["project"]
    rule = {"name": "New", "kind": "new", "channels": [channel.json()["id"]]}
    made = scenario.request("POST", f"/api/projects/{project}/alert-rules", rule)
    assert made.status_code == 201, made.text


def test_a_backup_answers_the_same_and_nothing_of_it_is_left(scenario: Scenario) -> None:
    done = scenario.drill()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Passed: "), done.stdout
    assert int(done.stdout.split()[1]) > 20
    assert scenario.shown["drill_outcome"] == "passed" and scenario.shown["verified_at"]
    assert scenario.is_clean()


def test_what_arrives_after_the_backup_raises_no_false_alarm(scenario: Scenario) -> None:
    deliver(scenario.service, [broken_event(uuid4().hex) for _ in range(20)])
    build(scenario.service)
    done = scenario.drill()
    assert (done.returncode, done.stdout[:6]) == (0, "Passed"), done.stdout + done.stderr
    # An issue of that day is merged into another.
    project = scenario.service.credentials["project"]
    since = (datetime.now(UTC) - timedelta(days=DAYS_AGO)).date()
    day = f"{since}T00:00Z/{since + timedelta(days=1)}T00:00Z"
    one, other = (
        each["id"] for each in scenario.get(f"/api/projects/{project}/issues?period={day}&limit=2")["issues"]
    )
    merged = scenario.request("POST", f"/api/issues/{one}/merge", {"into": other})
    assert merged.is_success, merged.text
    done = scenario.drill()
    assert (done.returncode, done.stdout[:6]) == (0, "Passed"), done.stdout + done.stderr


def test_answers_that_differ_are_named(scenario: Scenario, tmp_path: Path) -> None:
    with other_calls(scenario.service):
        taken = command("backup", tmp_path / "other", "--data", scenario.service.directory)
        assert taken.returncode == 0, taken.stderr
    done = command("backup", "drill", tmp_path / "other", "--data", scenario.service.directory)
    assert done.returncode == 1 and done.stdout.startswith("Different: endpoints of my-project "), done
    assert scenario.shown["drill_outcome"] == "different" and scenario.is_clean()
    said = command("doctor", "--data", scenario.service.directory).stdout
    assert ": different" in said


@contextmanager
def other_calls(service: Service) -> Iterator[None]:
    """While it lasts, marts count one call too many in each row."""
    warehouse = service.warehouse(Role.ADMIN)
    for change in ("+", "-"):
        for mart in ("endpoint_metrics_daily", "endpoint_metrics_hourly"):
            warehouse.execute(
                f"alter table errata_mart.{mart} update call_count = call_count {change} 1 where 1 "
                "settings mutations_sync = 1"
            )
        if change == "+":
            yield
    warehouse.close()


def test_a_damaged_backup_fails_its_drill_with_the_reason(scenario: Scenario, tmp_path: Path) -> None:
    copied = shutil.copytree(scenario.backups, tmp_path / "copied")
    (name,) = BackupDirectory(copied).complete()
    path = max((copied / name / "events").rglob("*.bin"), key=lambda one: one.stat().st_size)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    done = command("backup", "drill", copied, "--data", scenario.service.directory)
    assert done.returncode == 1 and "was changed" in done.stderr
    assert scenario.shown["drill_outcome"] == "failed" and scenario.is_clean()


@each("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_drill_that_is_stopped_takes_its_service_along(scenario: Scenario, number: int) -> None:
    before = scenario.shown["drilled_at"]
    drill = subprocess.Popen(
        [
            *(sys.executable, "-m", "errata", "backup", "drill", str(scenario.backups)),
            *("--data", str(scenario.service.directory)),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = scenario.service.directory / "drill" / "run" / "warehouse-address"
    while not address.exists():
        assert drill.poll() is None
        time.sleep(0.05)
    assert psutil.Process(drill.pid).nice() == 19
    drill.send_signal(number)
    drill.wait(60)
    deadline = time.monotonic() + 60
    mine = str(scenario.service.directory / "drill")
    while any(mine in " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    if number == signal.SIGKILL:
        # The next one removes what this one could not.
        assert scenario.drill().returncode == 0
    else:
        assert scenario.shown["drilled_at"] == before
    assert scenario.is_clean()


def test_without_unchanged_days_nothing_is_compared_and_that_is_told(scenario: Scenario) -> None:
    deliver(scenario.service, [late_event()])
    build(scenario.service)
    done = scenario.drill()
    assert (done.returncode, done.stdout[:12]) == (0, "Not compared"), done.stdout + done.stderr


def test_the_job_of_the_pipelines_does_the_same(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ERRATA_BACKUP_DIR", str(scenario.backups))
    monkeypatch.setenv("ERRATA_DATA", str(scenario.service.directory))
    with dg.DagsterInstance.ephemeral() as instance:
        done = drill_backup.execute_in_process(instance=instance)
        (handled,) = done.get_step_success_events()
        assert handled
        monkeypatch.setenv("ERRATA_BACKUP_DIR", str(tmp_path))
        failed = drill_backup.execute_in_process(instance=instance, raise_on_error=False)
        (failure,) = [event for event in failed.all_events if event.is_step_failure]
        assert "no complete backup" in str(failure.step_failure_data.error)


def test_a_service_that_sends_nothing_sends_nothing(scenario: Scenario, tmp_path: Path) -> None:
    deadline = time.monotonic() + 120
    deliver(scenario.service, [broken_event("beef" * 8)])
    while not any(b"Brokenbeef" in body for body in scenario.hooks):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    assert command("restore", scenario.backups, "--data", tmp_path / "new").returncode == 0
    for name in ("secret", "credentials.json"):
        shutil.copyfile(scenario.service.directory / name, tmp_path / "new" / name)
    with running(
        "--no-pipelines", "--send-nothing", directory=tmp_path / "new", settings=SETTINGS
    ) as restored:
        copy = Scenario(restored, scenario.backups, scenario.hooks)
        assert copy.get("/api/health")["checks"]["watch"] == "off"
        event = broken_event("feed" * 8)
        deliver(restored, [event])
        (channel,) = copy.get("/api/alert-channels")["channels"]
        tried = copy.request("POST", f"/api/alert-channels/{channel['id']}/test")
        assert "sends nothing" in tried.text, tried.text
        # Two rounds of the jobs.
        time.sleep(65)
        assert not [body for body in scenario.hooks if b"Brokenfeed" in body]
        assert json.dumps(copy.get(f"/api/projects/{restored.credentials['project']}/issues")).count("feed")
