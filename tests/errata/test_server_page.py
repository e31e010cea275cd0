"""docs/server.md, command by command: from a fresh server to an event on a page."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.bare_server import BareServer, bare_server
from tests.captures import envelopes, moved, moved_to
from tests.page_reader import Shell, blocks
from tests.processes import free_port

SECTION = "From a fresh server to a running service"
WITHIN_SECONDS = 240


class Reader(Shell):
    """`base_url` is where the page's service answers."""

    def __init__(self, server: BareServer, directory: Path) -> None:
        self.base_url = f"http://127.0.0.1:{(port := free_port())}"
        values = {
            "pip install dist/errata_wire-0.5.0-py3-none-any.whl dist/errata_shipper-0.5.0-py3-none-any.whl "
            "dist/errata_server-0.5.0-py3-none-any.whl": "errata --version",
            "default:…@": "default:@",
            ":…@": ":p%40ss@",
            "clickhouse:8123": f"127.0.0.1:{server.port}",
            "…at least 32 characters…": "s" * 40,
            "https://errata.example.com": self.base_url,
            "--port 8000": f"--port {port}",
            "/var/lib/errata": str(directory / "lib"),
            "/etc/clickhouse-server/users.d": str(server.users_folder),
        }
        found = blocks("server.md", SECTION, values)
        preparation, self.migration, self.with_file, self.programs = found
        super().__init__(directory, preparation)


def lines(app_key: str) -> Iterator[bytes]:
    """An error, and real page loads."""
    error = {"timestamp": datetime.now(UTC).isoformat(), "exception": {"values": [{"type": "PayError"}]}}
    by = moved_to(datetime.now(UTC) - timedelta(minutes=10))
    sent: list[dict[str, Any]] = [
        {"type": item["headers"]["type"], "headers": item["headers"], "payload": moved(item["payload"], by)}
        for envelope in envelopes("v11")
        for item in envelope["items"]
        if item["headers"]["type"] in ("transaction", "span")
    ]
    for line in ({"type": "event", "payload": error}, *sent):
        yield json.dumps({**line, "app_key": app_key}).encode()


@pytest.mark.slow
@pytest.mark.timeout(2 * WITHIN_SECONDS)
def test_the_page_leads_from_a_fresh_server_to_an_event_on_a_page(tmp_path: Path) -> None:
    server = bare_server(tmp_path / "server")
    reader = Reader(server, tmp_path)
    with server.running():
        refused = reader.run(reader.migration)
        assert refused.returncode == 1 and "errata migrate --users-file" in refused.stderr
        write_users, migrate = reader.with_file.splitlines()
        written = reader.run(write_users)
        assert written.returncode == 0, written.stderr
    # Other than a server of the official packages, this one reads its users when it starts.
    with server.running(), ExitStack() as programs:
        migrated = reader.run(migrate)
        assert migrated.returncode == 0, migrated.stderr
        for command in reader.programs.splitlines():
            programs.enter_context(reader.running(command))
        credentials = json.loads((tmp_path / "lib" / "credentials.json").read_text())
        assert credentials["base_url"] == reader.base_url
        deadline = time.monotonic() + WITHIN_SECONDS
        while not responds(reader.base_url):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        kept = httpx2.post(
            f"{reader.base_url}/api/ingest",
            content=b"\n".join(lines(credentials["app_key"])),
            headers={"Authorization": f"Bearer {credentials['api_key']}"},
        )
        assert kept.status_code == 200 and not kept.json()["rejected"], kept.text
        with httpx2.Client(base_url=reader.base_url, timeout=60) as client:
            login = {"email": credentials["email"], "password": credentials["password"]}
            assert client.post("/api/auth/sign-in", json=login).status_code == 200
            assert "PayError" in client.get("/projects/my-project/issues").text
            pages = "/api/projects/my-project/performance/pages"
            while not any(page["page"] == "/checkout" for page in client.get(pages).json()["pages"]):
                assert time.monotonic() < deadline
                time.sleep(1)
            assert client.get("/api/health").json()["checks"]["pipelines"] == "ok"
        examined = reader.run("errata doctor")
        assert examined.returncode == 0, examined.stdout


def responds(base_url: str) -> bool:
    try:
        return httpx2.get(f"{base_url}/api/health").status_code == 200
    except httpx2.TransportError:
        return False
