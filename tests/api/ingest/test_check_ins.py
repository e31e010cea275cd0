"""Check-ins of monitors: what is stored of them, once, and what is refused."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import errata_sdk
import pytest
import sentry_sdk
from sentry_sdk.crons import capture_checkin

from api.ingest import monitors
from errata.monitors.config import MonitorConfig
from errata.monitors.schedule import Crontab
from errata.state.monitors import NewMonitor
from errata.warehouse.client import Row
from tests.api.ingest.conftest import IngestNode
from tests.cases import each

TABLE = "errata_raw.check_ins"
CONFIG: Any = {
    "schedule": {"type": "crontab", "value": "*/5 * * * *"},
    "checkin_margin": 5,
    "max_runtime": 30,
    "timezone": "Europe/Berlin",
    "failure_issue_threshold": 2,
    "recovery_threshold": 1,
}
RUN = {
    "check_in_id": "6d06fd6f5f7a4f5e8c1d6b2f3a4b5c6d",
    "monitor_slug": "my-job",
    "status": "in_progress",
    "environment": "production",
    "monitor_config": CONFIG,
}


def line(payload: dict[str, Any], at: datetime | None = None) -> bytes:
    logged_at = (at or datetime.now(UTC)).isoformat()
    return json.dumps({"type": "check_in", "logged_at": logged_at, "payload": payload}).encode() + b"\n"


def stored(node: IngestNode) -> list[Row]:
    return node.admin.rows(f"select * from {TABLE} order by occurred_at, status")


def test_a_run_is_stored_by_its_statuses_with_its_schedule_and_host(node: IngestNode) -> None:
    ended = {name: RUN[name] for name in ("check_in_id", "monitor_slug", "environment")}
    body = line(RUN) + line({**ended, "status": "ok", "duration": 1.25})
    source = "host=web-1; file=errata-2026-11-21.log; from=0; to=20; size=20"
    for _ in range(2):
        assert node.deliver(body, X_Errata_Source=source)[1]["rejected"] == []
    rows = stored(node)
    assert len(rows) == 4 and len({row["item_id"] for row in rows}) == 2
    begun, end = rows[0], rows[-1]
    assert {row["host"] for row in rows} == {"web-1"}
    assert (begun["monitor_slug"], begun["status"], begun["environment"]) == (
        *("my-job", "in_progress"),
        "production",
    )
    assert begun["check_in_id"].hex == RUN["check_in_id"] == end["check_in_id"].hex
    assert json.loads(begun["config"]) == CONFIG and end["config"] == ""
    assert (end["status"], end["duration_ms"]) == ("ok", 1250)


def test_runs_without_an_id_are_told_apart_by_their_moments(node: IngestNode) -> None:
    now = datetime.now(UTC)
    nameless = {"check_in_id": "0" * 32, "monitor_slug": "Nightly", "status": "ok"}
    body = line(nameless, now) + line(nameless, now - timedelta(hours=1))
    for _ in range(2):
        node.deliver(body)
    rows = stored(node)
    assert len({row["item_id"] for row in rows}) == 2
    assert {row["monitor_slug"] for row in rows} == {"nightly"}


@each(
    "change, said",
    [
        ({"monitor_slug": None}, "`monitor_slug`"),
        ({"monitor_slug": "my job"}, "`monitor_slug`"),
        ({"monitor_slug": "x" * 51}, "`monitor_slug`"),
        ({"monitor_slug": "nightly\n"}, "`monitor_slug`"),
        ({"status": "missed"}, "`status`"),
        ({"status": ["ok"]}, "`status`"),
        ({"check_in_id": "latest"}, "`check_in_id`"),
        ({"check_in_id": 7}, "`check_in_id`"),
        ({"monitor_config": []}, "`monitor_config`"),
        ({"monitor_config": {}}, "schedule"),
        ({"monitor_config": {"schedule": {"type": "crontab", "value": "61 * * * *"}}}, "crontab"),
        ({"monitor_config": {**CONFIG, "timezone": "Mars/Base"}}, "`timezone`"),
        ({"monitor_config": {**CONFIG, "checkin_margin": 99_999}}, "`checkin_margin`"),
    ],
)
def test_a_check_in_that_cannot_be_used_is_refused_with_a_sentence(
    node: IngestNode, change: dict[str, Any], said: str
) -> None:
    before = node.count(TABLE)
    answer = node.deliver(line({**RUN, **change}) + line(RUN))[1]
    (refused,) = answer["rejected"]
    assert refused["reason"] == "invalid_item" and said in refused["message"]
    assert node.count(TABLE) == before + 1


def test_check_ins_of_too_many_monitors_are_counted_and_not_stored(
    node: IngestNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "MOST_MONITORS", 2)
    body = b"".join(line({**RUN, "monitor_slug": f"job-{number}"}) for number in (1, 2, 3, 1))
    assert node.deliver(body)[1]["accepted"] == 4
    assert {row["monitor_slug"] for row in stored(node)} == {"job-1", "job-2"}
    counted = node.admin.rows(
        "select item_type, outcome, item_count from errata_raw.outcomes where outcome = 'too_many_monitors'"
    )
    assert [tuple(row.values()) for row in counted] == [("check_in", "too_many_monitors", 1)]


def test_declared_monitors_count_first_and_are_always_admitted(
    node: IngestNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "MOST_MONITORS", 2)
    node.deliver(line({**RUN, "monitor_slug": "job-1"}))
    config = MonitorConfig(Crontab("@daily"))
    (organization_id,) = {organization for organization, _project in node.store.projects.all()}
    (project,) = node.store.projects.of_organization(organization_id)

    def declare(slug: str) -> None:
        new = NewMonitor(slug, "production", config)
        node.store.monitors.declare(organization_id, project.slug, new, actor="a test")

    declare("declared-1")
    declare("declared-2")
    node.deliver(b"".join(line({**RUN, "monitor_slug": slug}) for slug in ("job-2", "declared-2", "job-1")))
    assert {row["monitor_slug"] for row in stored(node)} == {"job-1", "declared-2"}
    # A project that is full is asked for again later.
    declare("declared-3")
    monkeypatch.setattr(monitors, "ASKED_AGAIN_AFTER", 0)
    node.deliver(b"".join(line({**RUN, "monitor_slug": slug}) for slug in ("job-2", "declared-3")))
    assert {row["monitor_slug"] for row in stored(node)} == {"job-1", "declared-2", "declared-3"}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    sentry_sdk.get_client().close()
    sentry_sdk.get_global_scope().set_client(None)


def test_what_the_sdk_for_python_writes_is_stored(node: IngestNode, folder: Path) -> None:
    errata_sdk.init(app_key=node.account.app_key, storage_path=str(folder), environment="production")
    begun = capture_checkin(monitor_slug="nightly", status="in_progress", monitor_config=CONFIG)
    capture_checkin(monitor_slug="nightly", check_in_id=begun, status="ok", duration=0.5)
    sentry_sdk.flush()
    body = b"".join(file.read_bytes() for file in folder.glob("errata-*.log"))
    assert node.deliver(body)[1]["rejected"] == []
    rows = stored(node)
    assert [row["status"] for row in rows] == ["in_progress", "ok"]
    assert {row["check_in_id"].hex for row in rows} == {begun}
    assert rows[0]["environment"] == "production"
