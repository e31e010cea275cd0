import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.beginning import SECONDS_TO_START, Beginning
from api.settings import ApiSettings
from errata import __version__
from errata.backup.expected import Expected
from errata.state import Store
from errata.state.backup_runs import Kind, Outcome, record_backup_run
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.api.conftest import NOWHERE, Api
from tests.backup_run import a_backup_run
from tests.processes import WarehouseProcess


def test_a_working_service_is_ok_without_a_key(warehouse_process: WarehouseProcess, store: Store) -> None:
    ingest, read = (warehouse_process.client(role) for role in (Role.INGEST, Role.READ))
    app = create_app(ApiSettings(), store, ingest, read, checks={"pipelines": lambda: "starting"})
    with TestClient(app) as client:
        answer = client.get("/api/health")
    ingest.close()
    read.close()
    assert answer.status_code == 200
    checks = {
        "warehouse": "ok",
        "state": "ok",
        "pipelines": "starting",
        "watch": "off",
        "disk": "ok",
        "backups": "off",
        "spool": "off",
        "deliveries": "ok",
    }
    assert answer.json() == {
        "status": "ok",
        "version": __version__,
        "checks": checks,
        "reasons": {},
        "duties": [],
        "restarts": [],
        "deliveries": None,
        "backup": None,
    }


def test_an_old_backup_is_shown_and_fails_its_check_alone(
    warehouse_process: WarehouseProcess, store: Store, tmp_path: Path
) -> None:
    began_at = datetime.now(UTC) - timedelta(hours=3)
    good = a_backup_run(str(tmp_path), began_at, began_at + timedelta(seconds=90), bytes=1234)
    record_backup_run(store.database, good)
    failed = replace(good, kind=Kind.DRILL, outcome=Outcome.FAILED, detail="no room in /secret/place")
    record_backup_run(store.database, failed)
    ingest = warehouse_process.client(Role.INGEST)
    app = create_app(ApiSettings(), store, ingest, ingest, backups=Expected.of(str(tmp_path), 2))
    with TestClient(app) as client:
        client.get("/api/health")
        app.state.context.beginning.judged("backups", "ok")
        answer = client.get("/api/health")
    ingest.close()
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.json()["checks"]["backups"] == "failing"
    shown = answer.json()["backup"]
    assert 3 * 3600 <= shown["age_seconds"] < 3 * 3600 + 60
    assert (shown["bytes"], shown["duration_seconds"]) == (1234, 90.0)
    assert (shown["verified_at"], shown["drill_outcome"]) == (None, "failed")
    # Anybody can ask.
    assert str(tmp_path) not in answer.text and "/secret/place" not in answer.text


def test_without_its_warehouse_the_service_is_not_healthy(api: Api) -> None:
    answer = api.client.get("/api/health")
    assert answer.status_code == 503
    assert answer.json()["checks"]["state"] == "ok" and answer.json()["checks"]["pipelines"] == "off"
    assert answer.json()["checks"]["warehouse"] == answer.json()["status"] == "starting"
    assert answer.json()["reasons"]["warehouse"].startswith("The warehouse doesn't respond.")


def test_a_part_that_hangs_or_talks_nonsense_fails_and_does_not_hold_the_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.rest.health.SECONDS_A_CHECK", 0.2)
    release = threading.Event()

    def hang() -> str:
        release.wait(30)
        return "ok"

    def say_nothing_known() -> str:
        return "splendid"

    checks = {"pipelines": hang, "other": say_nothing_known}
    app = create_app(ApiSettings(), store, Warehouse(NOWHERE), Warehouse(NOWHERE), checks=checks)
    with TestClient(app) as client:
        started = time.monotonic()
        answer = client.get("/api/health")
        assert time.monotonic() - started < 5
        for _ in range(5):
            assert client.get("/api/health").status_code == 503
        assert client.head("/api/health").status_code == 503
        assert client.get("/api/auth/session").status_code == 401
        release.set()
    assert answer.json()["checks"]["pipelines"] == answer.json()["checks"]["other"] == "starting"


def test_a_part_is_starting_until_it_answered_once_or_had_its_time() -> None:
    now = [0.0]
    beginning = Beginning(lambda: now[0])
    assert beginning.judged("warehouse", "failing") == "starting"
    assert beginning.judged("state", "ok") == "ok"
    assert beginning.judged("state", "failing") == "failing"
    assert beginning.judged("pipelines", "off") == "off"
    now[0] = SECONDS_TO_START
    assert beginning.judged("warehouse", "failing") == "failing"


def test_a_store_that_is_gone_fails_with_a_reason_and_stops_nothing_else(
    warehouse_process: WarehouseProcess, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errata.state.trial_writes.TRY_EVERY_SECONDS", 0.0)
    ingest = warehouse_process.client(Role.INGEST)
    app = create_app(ApiSettings(), store, ingest, ingest)
    assert store.database.file is not None
    with TestClient(app) as client:
        assert client.get("/api/health").status_code == 200
        store.database.file.unlink()
        answer = client.get("/api/health")
        assert client.get("/api/auth/session").status_code in (401, 503)
        credentials = {"email": "owner@example.org", "password": "a long password"}
        assert client.post("/api/auth/sign-in", json=credentials).status_code == 503
    ingest.close()
    assert answer.status_code == 503
    assert answer.json()["checks"]["state"] == "failing" and answer.json()["checks"]["warehouse"] == "ok"
    reason = answer.json()["reasons"]["state"]
    assert reason.startswith("The account store's file was deleted or replaced. Stop Errata, ")
    # Anybody can ask.
    assert str(store.database.file.parent) not in answer.text
