"""Deliveries are refused, with the reason, before the disk is full, and taken again when there is room."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import CHECK_SECONDS, AdmissionLimit, Bound, DiskFull, Space, space_of
from errata.warehouse.python_marts import PYTHON_MARTS, PythonMart
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.lease import Pace
from pipelines.marts.made_by_python import make, outcome_in_words
from pipelines.marts.registry import MARTS
from tests.api.ingest.conftest import IngestNode
from tests.processes import WarehouseProcess

# More than any disk of a test has.
ALL = 1 << 60
LINE = json.dumps({"type": "event", "payload": {"message": "it broke"}}).encode() + b"\n"


@pytest.fixture
def full_node(node: IngestNode, warehouse: WarehouseProcess) -> TestClient:
    ingest, read = (warehouse.client(role) for role in (Role.INGEST, Role.READ))
    return TestClient(create_app(ApiSettings(disk_free_min_bytes=ALL), node.store, ingest, read))


@pytest.mark.slow
def test_a_delivery_is_refused_with_the_reason_before_the_disk_is_full(
    node: IngestNode, full_node: TestClient
) -> None:
    headers = {
        "Authorization": f"Bearer {node.account.api_key}",
        "X-Errata-App-Key": node.account.app_key,
        "X-Errata-Source": "host=web-1",
    }
    with full_node as client:
        refused = client.post("/api/ingest", content=LINE, headers=headers)
        assert refused.status_code == 503 and int(refused.headers["Retry-After"]) > 0
        assert refused.json()["error"] == "disk_full"
        assert "GB are free" in refused.json()["message"] and "must stay free" in refused.json()["message"]
        health = client.get("/api/health")
        assert health.status_code == 503
        assert health.json()["checks"]["disk"] in ("failing", "starting")
        assert health.json()["checks"]["warehouse"] == "ok"
        # So that every page can say it, one row is written all the same.
        (met,) = client.get("/api/health", headers=headers).json()["deliveries"]["refused"]
        assert (met["host"], met["reason"]) == ("web-1", "disk_full")
        # What was stored is read on.
        assert client.get("/api/projects/shop/issues", headers=headers).status_code == 200
    assert node.count("errata_raw.error_events") == 0
    assert node.deliver(LINE)[0] == 200
    assert node.count("errata_raw.error_events") == 1


def test_whoever_reads_the_disk_sees_what_the_system_says(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    space = space_of(read)
    read.close()
    assert space is not None and 0 < space.free_bytes <= space.total_bytes


def test_either_bound_holds() -> None:
    space = Space(free_bytes=50, total_bytes=1000)
    assert not Bound(50, 5).is_passed(space)
    assert Bound(51, 0).is_passed(space)
    assert Bound(0, 5.1).is_passed(space)


def test_the_disk_is_looked_at_once_a_second_and_taken_up_again(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, free, looks = [0.0], [10], []

    def look(_: Warehouse) -> Space:
        looks.append(now[0])
        return Space(free[0], 1000)

    monkeypatch.setattr("errata.warehouse.disk.space_of", look)
    disk_limit = AdmissionLimit(Warehouse("http://nobody:nothing@127.0.0.1:9"), Bound(100, 0), lambda: now[0])
    for _ in range(5):
        with pytest.raises(DiskFull):
            disk_limit.require([1])
    assert len(looks) == 1
    free[0], now[0] = 500, CHECK_SECONDS
    disk_limit.require([1])
    assert len(looks) == 2


@pytest.mark.slow
def test_builds_wait_for_room_and_leave_nothing_behind(node: IngestNode, warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC).isoformat()
    event = {"type": "event", "logged_at": now, "payload": {"message": "it broke", "timestamp": now}}
    assert node.deliver(json.dumps(event).encode() + b"\n")[0] == 200
    builder = warehouse.client(Role.BUILD)
    with pytest.raises(DiskFull):
        _build_one(builder, Bound(ALL, 0))
    left = node.admin.rows(
        "select name from system.tables where database = 'errata_mart' and name like '%\\_\\_build\\_%'"
    )
    assert left == []
    assert _build_one(builder, Bound(0, 0)) == 1
    builder.close()


@pytest.mark.parametrize("made", PYTHON_MARTS, ids=lambda made: made.name)
def test_what_python_makes_waits_for_room(warehouse: WarehouseProcess, made: PythonMart) -> None:
    builder = warehouse.client(Role.BUILD)
    with pytest.raises(DiskFull):
        make(made, builder, Bound(ALL, 0))
    done = make(made, builder, Bound(0, 0))
    assert outcome_in_words(made, done).startswith(f"{made.name}: 0 ")
    builder.close()


def _build_one(builder: Warehouse, bound: Bound) -> int:
    pace = Pace(lag=timedelta(0))
    mart = next(mart for mart in MARTS if mart.name == "variant_hourly")
    return len(build(builder, mart, pace, bound).windows)
