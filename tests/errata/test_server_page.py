"""docs/server.md, command by command: from a fresh server to an event on a page."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

import httpx2
import pytest

from tests.bare_server import BareServer, bare_server
from tests.captures import envelopes, moved, moved_to
from tests.processes import free_port

PAGE = Path(__file__).parents[2] / "docs" / "server.md"
SECTION = "From a fresh server to a running service"
BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
WITHIN_SECONDS = 240


class Reader:
    """Does in a directory of its own what the page says, with values of this test."""

    def __init__(self, server: BareServer, directory: Path) -> None:
        self.base_url = f"http://127.0.0.1:{(port := free_port())}"
        self.directory = directory
        values = {
            "pip install errata": "errata --version",
            "default:…@": "default:@",
            ":…@": ":p%40ss@",
            "clickhouse:8123": f"127.0.0.1:{server.port}",
            "…at least 32 characters…": "s" * 40,
            "https://errata.example.com": self.base_url,
            "--port 8000": f"--port {port}",
            "/var/lib/errata": str(directory / "lib"),
            "/etc/clickhouse-server/users.d": str(server.users_folder),
        }
        page = PAGE.read_text().partition(f"## {SECTION}\n")[2].partition("\n## ")[0]
        for written, value in values.items():
            assert written in page
            page = page.replace(written, value)
        blocks = [dedent(block) for block in BLOCK.findall(page)]
        assert len(blocks) == 4 and all("…" not in block for block in blocks)
        self.preparation, self.migration, self.with_file, self.programs = blocks

    def run(self, commands: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._shell(commands),
            cwd=self.directory,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    @contextmanager
    def running(self, command: str) -> Iterator[None]:
        process = subprocess.Popen(
            self._shell(command),
            cwd=self.directory,
            env=self._environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield
            assert process.poll() is None
        finally:
            process.terminate()
            process.wait(60)

    def _shell(self, commands: str) -> list[str]:
        """In the same environment each time, as the first block makes it."""
        *first, last = commands.strip().splitlines()
        # The last command takes the shell's place, so that it gets the shell's signals.
        assigned, command = re.fullmatch(r"((?:\w+=\S+ )?)(.*)", last).groups()  # type: ignore[union-attr]
        return ["bash", "-ec", "\n".join([self.preparation, *first, f"{assigned}exec {command}"])]

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_")}
        return {**kept, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


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
