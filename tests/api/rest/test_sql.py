"""SQL of programs over HTTP: forms, rows of the token's project, refusals."""

import io
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from errata.state.capability import Capability
from errata.warehouse.project_sql import Format
from errata.warehouse.roles import Role
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.cases import each
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess
from tests.uploading import Uploading, serving

ISSUES = ("variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues")
GUIDE = Path(__file__).parents[3] / "docs" / "analysts.md"
COUNTED = "select title, event_count from issues -- all of them"


@pytest.fixture(scope="module")
def service(
    warehouse_of_module: WarehouseProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Uploading]:
    with serving(warehouse_of_module, tmp_path_factory.mktemp("sql")) as (service, _):
        other = service.store.projects.create(service.organization_id, "Other", actor="test")
        ingest = warehouse_of_module.client(Role.INGEST)
        for project_id, count in ((service.project.id, 3), (other.project.id, 5)):
            known = {"project_id": project_id, "variant_hash": 11}
            insert(ingest, "errata_raw.error_events", [an_error_event(**known) for _ in range(count)])
            insert(ingest, "errata_raw.variants", [a_variant(**known)])
            insert(ingest, "errata_raw.variant_issues", [a_mapping(**known, issue_id=project_id)])
        ingest.close()
        build_marts(warehouse_of_module, *ISSUES)
        let_bound_take_hold(warehouse_of_module)
        yield service


def headers(service: Uploading, capability: Capability = Capability.SQL) -> dict[str, str]:
    return {"Authorization": f"Bearer {service.token(capability)}"}


def rows_of(form: str, content: bytes) -> list[dict[str, object]]:
    match form:
        case "arrow":
            return pl.read_ipc_stream(content).to_dicts()
        case "parquet":
            return pl.read_parquet(io.BytesIO(content)).to_dicts()
    return [json.loads(line) for line in content.splitlines()]


@each("form", ["arrow", "parquet", "json"])
def test_each_form_has_the_rows_of_the_tokens_project(service: Uploading, form: str) -> None:
    asked = {"sql": COUNTED, "format": form}
    answer = service.client.post("/api/sql", json=asked, headers=headers(service))
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == Format[form.upper()].media_type
    assert rows_of(form, answer.content) == [{"title": "ValueError: bad value", "event_count": 3}]


@each(
    "text, told",
    [
        ("select nothing from issues", "Unknown expression identifier `nothing`"),
        ("select * from errata_raw.error_events", "Not enough privileges"),
        ("select 1; select 2", "Multi-statements are not allowed"),
        ("insert into issues (project_id) values (1)", "Not enough privileges"),
    ],
)
def test_a_refused_statement_says_why(service: Uploading, text: str, told: str) -> None:
    answer = service.client.post("/api/sql", json={"sql": text}, headers=headers(service))
    assert (answer.status_code, answer.json()["error"]) == (400, "sql_refused")
    assert told in answer.json()["message"]
    assert all(word not in answer.json()["message"] for word in ("version", "127.0.0.1", "DB::"))


def test_other_credentials_run_no_sql(service: Uploading) -> None:
    for other in (service.headers, headers(service, Capability.READ)):
        answer = service.client.post("/api/sql", json={"sql": "select 1"}, headers=other)
        assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
    assert service.client.post("/api/sql", json={"sql": "select 1"}).status_code == 401


def test_a_token_runs_one_statement_at_a_time(service: Uploading) -> None:
    own = headers(service)
    statuses: list[int] = []

    def ask() -> None:
        slow = {"sql": "select sleep(2)", "format": "json"}
        statuses.append(service.client.post("/api/sql", json=slow, headers=own).status_code)

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert sorted(statuses) == [200, 429]
    # And afterwards again.
    assert service.client.post("/api/sql", json={"sql": "select 1"}, headers=own).status_code == 200


def test_the_program_of_the_guide_reads_its_project(service: Uploading) -> None:
    (program,) = re.findall(r"```python\n(import json\n.*?)```", GUIDE.read_text(), re.DOTALL)
    environment = {
        **os.environ,
        "ERRATA_CLIENT_URL": service.context.base_url,
        "ERRATA_CLIENT_API_KEY": service.token(Capability.SQL),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "ValueError: bad value" in done.stdout and "3" in done.stdout
