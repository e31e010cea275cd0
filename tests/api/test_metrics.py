"""What a Prometheus reads: counts that equal the ledger's, bounded labels, and who may read them."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from api.metrics.instruments import DELIVERIES_STORING, note_lookup
from api.metrics.requests import METHODS
from api.settings import ApiSettings
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.warehouse import sql
from errata.warehouse.cache import Cache
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess

DOCS = Path(__file__).parents[2] / "docs"
TOKEN = "a token of metrics"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Node:
    """The API over a real warehouse and account store."""

    def __init__(self, client: TestClient, account: FirstAccount, admin: Warehouse) -> None:
        self.client, self.account, self.admin = client, account, admin

    def deliver(self, *lines: object) -> None:
        headers = {
            "Authorization": f"Bearer {self.account.api_key}",
            "X-Errata-App-Key": self.account.app_key,
        }
        body = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        headers["X-Errata-Source"] = "host=web-1; file=a.log; id=00000000000000aa; from=0; to=9; size=20"
        assert self.client.post("/api/ingest", content=body, headers=headers).status_code == 200

    def text(self, accept: str = "text/plain") -> str:
        headers = {"Authorization": f"Bearer {TOKEN}", "Accept": accept}
        answer = self.client.get("/metrics", headers=headers)
        assert answer.status_code == 200
        return answer.text

    def samples(self) -> Samples:
        return {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(self.text())
            for sample in family.samples
        }


@pytest.fixture
def node(warehouse: WarehouseProcess, state_url: str) -> Iterator[Node]:
    store = Store.open(state_url, b"s" * 48)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@localhost")
    ingest, admin = warehouse.client(Role.INGEST), warehouse.client(Role.ADMIN)
    read = Warehouse(warehouse.url(Role.READ), cache=Cache(on_lookup=note_lookup))
    settings = ApiSettings(gather_ms=5, metrics_token=SecretStr(TOKEN))
    app = create_app(settings, store, ingest, read)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Node(client, account, admin)
    for connection in (ingest, read, admin):
        connection.close()
    store.close()


def test_counts_are_those_of_the_ledger(node: Node) -> None:
    before = node.samples()
    event = {"type": "event", "payload": {"message": "it broke"}}
    node.deliver(event, event, {"type": "statsd", "payload": {"a": 1}}, b"{broken", {"type": "event"})
    node.deliver(event)
    after = node.samples()

    def grown(name: str, **labels: str) -> float:
        key = name, tuple(sorted(labels.items()))
        return after.get(key, 0) - before.get(key, 0)

    (ledger,) = node.admin.rows(
        "select sum(accepted_count) as accepted from errata_raw.deliveries settings final = 0"
    )
    assert grown("errata_ingest_accepted_lines_total") == ledger["accepted"] == 4
    outcomes = node.admin.rows(
        "select outcome, sum(item_count) as total from errata_raw.outcomes group by outcome"
    )
    assert {row["outcome"] for row in outcomes} == {"not_stored_yet", "invalid_json", "invalid_item"}
    for row in outcomes:
        assert grown("errata_ingest_outcomes_total", outcome=row["outcome"]) == row["total"]
    assert grown("errata_ingest_insert_seconds_count") > 0
    assert grown("errata_http_request_seconds_count", method="POST", route="/api/ingest", status="2xx") == 2


def test_the_state_of_the_service_is_told(node: Node) -> None:
    node.deliver({"type": "event", "payload": {"message": "it broke"}})
    samples = node.samples()
    host = (("host", "web-1"), ("organization", "1"))
    assert samples["errata_host_waiting_bytes", host] == 11
    assert samples["errata_host_silent", host] == 0
    assert samples["errata_disk_free_bytes", ()] > samples["errata_disk_free_min_bytes", ()] > 0
    assert samples["errata_warehouse_memory_bytes", ()] > 0 and samples["errata_warehouse_parts", ()] > 0
    failed = {key: value for key, value in samples.items() if key[0] == "errata_metrics_group_failed"}
    assert len(failed) == 8 and not any(failed.values())


def test_a_check_that_failed_is_told_until_it_passes(node: Node) -> None:
    def record(name: str, is_passed: bool) -> None:
        node.admin.execute(sql.build_statement("record_check"), {"check_name": name, "is_passed": is_passed})

    record("page_loads_has_no_gaps", True)
    record("page_loads_has_no_gaps", False)
    record("issues_adds_up_to_raw", False)
    record("issues_adds_up_to_raw", True)
    samples = node.samples()
    failing = {
        dict(of)["check"]: value
        for (name, of), value in samples.items()
        if name == "errata_data_check_failing"
    }
    assert failing == {"page_loads_has_no_gaps": 1, "issues_adds_up_to_raw": 0}
    ran = samples["errata_data_check_last_run_timestamp_seconds", (("check", "page_loads_has_no_gaps"),)]
    assert abs(ran - time.time()) < 60


def test_the_cache_tells_its_hits_and_its_size(node: Node) -> None:
    def lookups(result: str) -> float:
        return samples.get(("errata_cache_lookups_total", (("result", result),)), 0)

    samples = node.samples()
    hits, misses = lookups("hit"), lookups("miss")
    # What the second scrape asks was answered a moment ago.
    samples = node.samples()
    assert lookups("hit") > hits
    node.deliver({"type": "event", "payload": {"message": "it broke"}})
    samples = node.samples()
    assert lookups("miss") >= misses > 0
    assert samples["errata_cache_bytes", ()] > 0 and samples["errata_cache_entries", ()] > 0


def test_deliveries_that_wait_are_told_and_no_longer_once_they_are_stored(node: Node) -> None:
    gauges = (
        "errata_ingest_deliveries_preparing",
        "errata_ingest_deliveries_storing",
        "errata_http_requests_waiting",
    )
    assert [node.samples()[name, ()] for name in gauges] == [0, 0, 0]
    with DELIVERIES_STORING.track_inprogress():
        assert node.samples()["errata_ingest_deliveries_storing", ()] == 1
    node.deliver({"type": "event", "payload": {"message": "it broke"}})
    assert [node.samples()[name, ()] for name in gauges] == [0, 0, 0]


def test_a_web_process_that_was_killed_holds_nothing_but_what_it_counted(tmp_path: Path) -> None:
    looking_up = (
        "import os, signal; from api.metrics.instruments import note_lookup; "
        "from errata.warehouse.cache import Usage; note_lookup(True, Usage(7, 4711, 1, 0)); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    telling = (
        "from api.metrics.instruments import counted; "
        "print(''.join(f'{s.name} {s.labels} {s.value}\\n' for m in counted() for s in m.samples))"
    )
    environment = {
        **os.environ,
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    for _ in range(2):
        subprocess.run([sys.executable, "-c", looking_up], env=environment, check=False)
    told = subprocess.run(
        [sys.executable, "-c", telling], env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert "errata_cache_lookups_total {'result': 'hit'} 2.0" in told
    assert "4711" not in told


def test_addresses_that_nobody_declared_have_one_label(node: Node) -> None:
    for number in range(20):
        node.client.get(f"/api/nothing/{number}")
        node.client.request(f"ODD{number}", "/api/health")
    node.client.post(f"/api/{node.account.project_id}/envelope/", content=b"{}")
    labels = [dict(of) for name, of in node.samples() if name == "errata_http_request_seconds_count"]
    # Of all tests of this process.
    assert METHODS | {"other"} >= {of["method"] for of in labels} >= {"GET", "POST", "other"}
    routes = {of["route"] for of in labels}
    assert routes >= {"unmatched", "/api/{project_id}/envelope/"}
    assert not any("nothing" in route for route in routes)


def test_the_scraper_chooses_the_form(node: Node) -> None:
    assert node.text("application/openmetrics-text; version=1.0.0").endswith("# EOF\n")
    assert "# TYPE errata_ingest_accepted_lines_total counter" in node.text()


def test_metrics_need_the_token_or_a_program_of_this_host(node: Node) -> None:
    answer = node.client.get("/metrics", headers={"Authorization": f"Bearer {node.account.api_key}"})
    assert (answer.status_code, answer.json()["error"]) == (403, "metrics_refused")
    assert node.client.get("/metrics").status_code == 403
    here = TestClient(node.client.app, client=("127.0.0.1", 4711))
    assert here.get("/metrics").status_code == 200
    for header in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):
        # A proxy of this host asks for anybody.
        assert here.get("/metrics", headers={header: "203.0.113.5"}).status_code == 403
    elsewhere = TestClient(node.client.app, client=("203.0.113.5", 4711))
    assert elsewhere.get("/metrics").status_code == 403


def test_each_metric_is_in_the_documentation_and_in_no_rule_that_lacks_it(node: Node) -> None:
    told = set(re.findall(r"`(errata_\w+)`", (DOCS / "metrics.md").read_text()))
    shown = {family.name for family in text_string_to_metric_families(node.text())}
    without_ending = {re.sub("_total$", "", name) for name in told}
    assert without_ending == {re.sub("_total$", "", name) for name in shown}
    for file in ("rules.yml", "grafana.json"):
        asked = set(re.findall(r"\berrata_\w+", (DOCS / "prometheus" / file).read_text()))
        assert {re.sub("_(total|bucket|count|sum)$", "", name) for name in asked} <= without_ending, file
