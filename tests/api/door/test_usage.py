"""What direct senders deliver counts in Usage of its project and service; the spool's file stays whole."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from errata_shipper.lock import DirectoryLock
from errata_wire.otlp.response import PROTOBUF

from api.context import Context
from api.jobs.job import HeldRun
from api.jobs.spike_protection import TIMES_ORDINARY, spike_protection_job
from api.settings import ApiSettings
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.ingest_limits import LimitKind
from errata.warehouse.client import Row
from errata.warehouse.roles import Role
from tests.api.door.direct_node import ORGANIZATION, DirectNode, envelope, event, running
from tests.processes import WarehouseProcess
from tests.wire.told_by_opentelemetry import log_request

ROWS = (
    "select project_id, service, host, file, byte_from, byte_to, accepted_count, rejected_count, byte_count, "
    "batch_id from errata_raw.deliveries order by project_id, service"
)
MOST_SECONDS = 30.0


@contextmanager
def held(spool: Path) -> Iterator[None]:
    """What is sent meanwhile is delivered together afterwards."""
    own = spool / str(ORGANIZATION)
    own.mkdir(parents=True, exist_ok=True)
    with DirectoryLock(own):
        yield


def asked(node: DirectNode, path: str) -> Any:
    answer = node.client.get(path, headers={"Authorization": f"Bearer {node.account.api_key}"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def steps(node: DirectNode, query: str, name: str) -> int:
    return sum(step[name] for step in asked(node, f"/api/usage?period=24h&{query}")["steps"])


def test_a_spool_of_several_projects_counts_for_each_and_its_file_for_none(node: DirectNode) -> None:
    shop, blog = node.account.project, node.store.projects.create(ORGANIZATION, "Blog", actor="test")
    worker = node.store.keys.app.create(ORGANIZATION, shop, "worker", actor="test").key
    revoked = node.store.keys.app.create(ORGANIZATION, blog.project.slug, "old", actor="test")
    to_blog = f"/api/{blog.project.id}/envelope/"
    refused_item = "event", b"3"
    with held(node.spool):
        assert node.send(envelope(event("1"), event("2"))).status_code == 200
        assert node.send(event("3")[1], node.path("store/")).status_code == 200
        # Two keys of a service are one service.
        assert node.send(envelope(event("4")), key=node.account.app_key).status_code == 200
        assert node.send(envelope(event("5"), refused_item), key=worker).status_code == 200
        log = log_request("ValueError", "6", "").SerializeToString()
        bearer = {"Authorization": f"Bearer {blog.public_key.key}", "Content_Type": PROTOBUF}
        assert node.send(log, "/v1/logs", "", **bearer).status_code == 200
        assert node.send(envelope(event("7"), refused_item), to_blog, blog.public_key.key).status_code == 200
        assert node.send(envelope(event("8")), to_blog, revoked.key).status_code == 200
        keys = node.store.keys.app.of_project(ORGANIZATION, blog.project.slug)
        (key,) = (each for each in keys if each.service == "old")
        node.store.keys.app.revoke(ORGANIZATION, blog.project.slug, key.id, actor="test")
    of_file, *of_projects = node.rows(ROWS, 4, MOST_SECONDS)
    (file,) = (node.spool / str(ORGANIZATION)).glob("errata-*")
    size = file.stat().st_size
    lines = [(json.loads(line)["app_key"], len(line)) for line in file.read_bytes().splitlines()]

    def size_of(*keys: str) -> int:
        return sum(length for app_key, length in lines if app_key in keys)

    def counts(row: Row) -> tuple[int, int, int]:
        return row["accepted_count"], row["rejected_count"], row["byte_count"]

    # The ledger knows the spool's file by itself; a line of no project's key counts there.
    assert (of_file["project_id"], of_file["file"], of_file["byte_from"]) == (0, file.name, 0)
    assert of_file["host"].endswith("/direct") and of_file["byte_to"] == size
    assert counts(of_file) == (0, 1, size_of(revoked.key))
    own = size_of(node.account.public_key, node.account.app_key)
    otel = sum(app_key == blog.public_key.key for app_key, _ in lines) - 2
    assert {(row["project_id"], row["service"]): counts(row) for row in of_projects} == {
        (node.account.project_id, ""): (4, 0, own),
        (node.account.project_id, "worker"): (1, 1, size_of(worker)),
        (blog.project.id, ""): (1 + otel, 1, size_of(blog.public_key.key)),
    }
    assert {(row["host"], row["file"], row["byte_to"]) for row in of_projects} == {("", "", 0)}
    assert len({row["batch_id"] for row in (of_file, *of_projects)}) == 1

    found = {
        query: tuple(steps(node, query, name) for name in ("accepted", "invalid", "byte_count"))
        for query in (f"project={shop}", f"project={shop}&service=worker", f"project={blog.project.slug}")
    }
    assert list(found.values()) == [
        (5, 1, own + size_of(worker)),
        (1, 1, size_of(worker)),
        (1 + otel, 1, size_of(blog.public_key.key)),
    ]
    month = asked(node, f"/api/usage?project={shop}")["forecast"]
    assert (month["line_count"], month["byte_count"]) == (5, own + size_of(worker))
    limits = asked(node, "/api/limits")["line_limits"]
    assert {(each["project"], each["service"]): each["busiest_minute"] for each in limits} == {
        (shop, ""): 6,
        (shop, "(none)"): 4,
        (shop, "worker"): 2,
        (blog.project.slug, ""): 2 + otel,
        (blog.project.slug, "(none)"): 2 + otel,
        (blog.project.slug, "old"): 0,
    }
    # A refused line's reason is shown where the line counts, and no project has files of the spool.
    reasons = asked(node, f"/api/usage?project={blog.project.slug}")["outcomes"]
    assert ("invalid_item", 1) in [(each["detail"], each["item_count"]) for each in reasons]
    assert asked(node, f"/api/projects/{shop}/delivery")["delivery"] == []


@pytest.mark.slow
def test_a_repeated_delivery_counts_again_as_that_of_a_shipper(
    warehouse: WarehouseProcess, store: Store, account: FirstAccount, tmp_path: Path
) -> None:
    with running(warehouse, store, account, tmp_path) as node:
        assert node.send(envelope(event("1"), event("2"))).status_code == 200
        assert len(node.rows(ROWS, 2)) == 2
        assert steps(node, "", "accepted") == 2
    (tmp_path / str(ORGANIZATION) / "tracker.json").unlink()
    with running(warehouse, store, account, tmp_path) as node:
        rows = node.rows(ROWS, 4, MOST_SECONDS)
        assert [row["project_id"] for row in rows] == [0, 0, account.project_id, account.project_id]
        assert len({row["batch_id"] for row in rows}) == 1
        assert steps(node, "", "accepted") == 4


@pytest.mark.slow
def test_spike_protection_learns_from_direct_senders(
    warehouse: WarehouseProcess, store: Store, account: FirstAccount, tmp_path: Path
) -> None:
    ordinary = 300
    store.ingest_limits.replace(ORGANIZATION, account.project, "", {LimitKind.SPIKES: 0}, actor="test")
    with running(warehouse, store, account, tmp_path) as node:
        reports = [("client_report", b"{}")] * ordinary
        assert node.send(envelope(*reports)).status_code == 200
        assert len(node.rows(ROWS, 2)) == 2
        node.admin.execute(
            "insert into errata_raw.deliveries select * replace (received_at - interval number day as "
            "received_at) from errata_raw.deliveries array join [1, 2, 3, 4, 5] as number"
        )
    read = warehouse.client(Role.READ)
    context = Context(ApiSettings(), store, read, read, "https://errata.example", {})
    spike_protection_job(context).work(HeldRun(lambda: True, 60, lambda: False, lambda name: None))
    read.close()
    most = TIMES_ORDINARY * ordinary
    with running(warehouse, store, account, tmp_path) as node:
        of_project, *_ = asked(node, "/api/limits")["line_limits"]
        assert of_project["spike_lines_per_minute"] == most
        assert node.send(envelope(*reports * TIMES_ORDINARY)).status_code == 200
        assert node.send(envelope(*reports)).status_code == 429
