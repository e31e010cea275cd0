"""docs/nodes.md, command by command: from two databases to a service of several nodes."""

import json
import os
import time
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import make_url

from tests.bare_server import bare_server
from tests.errata.test_server_page import Reader, lines, responds
from tests.page_reader import Shell, blocks
from tests.postgres import PostgresServer, find_binaries
from tests.processes import free_port

SECTION = "From two databases to a running service"
WITHIN_SECONDS = 240


@pytest.mark.slow
@pytest.mark.timeout(2 * WITHIN_SECONDS)
def test_the_page_leads_from_two_databases_to_several_nodes(postgres: PostgresServer, tmp_path: Path) -> None:
    server = bare_server(tmp_path / "server")
    of_server = Reader(server, tmp_path)
    admin = make_url(postgres.create_database())
    web, edge = free_port(), free_port()
    found = blocks(
        "nodes.md",
        SECTION,
        {
            "--pwprompt errata\n": "errata_nodes\n",
            "--owner errata errata": "--owner errata_nodes errata_nodes",
            "--owner errata dagster": "--owner errata_nodes dagster_nodes",
            "errata:…@postgres:5432/errata": f"errata_nodes:any@{admin.host}:{admin.port}/errata_nodes",
            "errata:…@postgres:5432/dagster": f"errata_nodes:any@{admin.host}:{admin.port}/dagster_nodes",
            "https://errata.example.com": f"http://127.0.0.1:{web}",
            "pip install dist/errata_wire-0.5.0-py3-none-any.whl dist/errata_shipper-0.5.0-py3-none-any.whl "
            "\\\n       'dist/errata_server-0.5.0-py3-none-any.whl[postgres]'": "errata --version",
            "errata web --host 0.0.0.0 --port 8000": f"errata web --host 127.0.0.1 --port {web}",
            "--ingest-only --host 0.0.0.0 --port 8000": f"--ingest-only --host 127.0.0.1 --port {edge}",
            "/var/lib/errata": str(tmp_path / "nodes"),
        },
    )
    databases, settings, migration, web_node, ingest_node, dagster, pipelines = found
    connected = {
        "PGHOST": str(admin.host),
        "PGPORT": str(admin.port),
        "PGUSER": str(admin.username),
        "PATH": f"{find_binaries()}:{os.environ['PATH']}",
    }
    made = Shell(tmp_path, "", connected).run(databases)
    assert made.returncode == 0, made.stderr
    with server.running():
        written = of_server.run(of_server.with_file.splitlines()[0])
        assert written.returncode == 0, written.stderr
    with (tmp_path / "errata.env").open("a") as file:
        file.write(settings)
    node = Shell(tmp_path, "set -a; . ./errata.env; set +a")
    with server.running(), ExitStack() as programs:
        for commands in (migration, dagster):
            done = node.run(commands)
            assert done.returncode == 0, done.stderr
        for command in (web_node, ingest_node, pipelines):
            programs.enter_context(node.running(command))
        deadline = time.monotonic() + WITHIN_SECONDS
        addresses = [f"http://127.0.0.1:{port}" for port in (web, edge)]
        while not all(map(responds, addresses)):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        credentials = json.loads((tmp_path / "nodes" / "credentials.json").read_text())
        kept = httpx2.post(
            f"{addresses[1]}/api/ingest",
            content=b"\n".join(lines(credentials["app_key"])),
            headers={"Authorization": f"Bearer {credentials['api_key']}"},
        )
        assert kept.status_code == 200 and not kept.json()["rejected"], kept.text
        with httpx2.Client(base_url=addresses[0], timeout=60) as client:
            login = {"email": credentials["email"], "password": credentials["password"]}
            assert client.post("/api/auth/sign-in", json=login).status_code == 200
            pages = f"/api/projects/{credentials['project']}/performance/pages"
            while not any(page["page"] == "/checkout" for page in client.get(pages).json()["pages"]):
                assert time.monotonic() < deadline
                time.sleep(1)
            assert client.get("/api/health").json()["checks"]["pipelines"] == "ok"
