"""The API key of a running service is rotated while three shippers deliver: nothing refused, nothing lost."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from tests.service import ROOT, Service, running

HOSTS = ("web-1", "web-2", "worker-1")
EVENTS_A_SECOND = 40
WITHIN_SECONDS = 60
# A shipper is known by the name of its host.
ON_HOST = """
import runpy, socket, sys
socket.gethostname = lambda name=sys.argv.pop(1): name
runpy.run_module("errata_shipper", run_name="__main__", alter_sys=True)
"""


@dataclass
class Host:
    """An application that writes events, and its shipper."""

    name: str
    directory: Path
    service: Service
    written: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def writing(self) -> Iterator[None]:
        (self.directory / "logs").mkdir(parents=True)
        thread = threading.Thread(target=self._write)
        thread.start()
        try:
            yield
        finally:
            self.stopping.set()
            thread.join()

    def _write(self) -> None:
        while not self.stopping.wait(1 / EVENTS_A_SECOND):
            now = datetime.now(UTC)
            payload = {
                "event_id": uuid4().hex,
                "timestamp": now.isoformat(),
                "server_name": self.name,
                "exception": {"values": [{"type": "PayError", "value": "failed"}]},
            }
            line = {"type": "event", "logged_at": now.isoformat(), "payload": payload}
            with (self.directory / "logs" / f"errata-{now:%Y-%m-%d}.log").open("ab", buffering=0) as file:
                file.write(json.dumps(line).encode() + b"\n")
            self.written += 1

    def ship(self, api_key: str) -> "subprocess.Popen[bytes]":
        """Writes the key into the configuration and starts the shipper, as an operator restarts it."""
        config = self.directory / "errata.yaml"
        config.touch(0o600)
        settings = {
            "apiKey": api_key,
            "appKey": self.service.credentials["app_key"],
            "baseUrl": self.service.credentials["base_url"],
            "storagePath": str(self.directory / "logs"),
            "flushInterval": "500ms",
        }
        config.write_text(json.dumps({"errata": settings}))
        with (self.directory / "shipper.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-c", ON_HOST, self.name, "--config", str(config), "--record"],
                env={**os.environ, "PYTHONPATH": str(ROOT / "shipper")},
                stdout=log,
                stderr=log,
            )

    @property
    def told(self) -> str:
        return (self.directory / "shipper.log").read_text()


class Owner:
    """Signed in at the service."""

    def __init__(self, service: Service) -> None:
        known = service.credentials
        self._client = httpx2.Client(base_url=known["base_url"])
        self.project = known["project"]
        given = {"email": known["email"], "password": known["password"]}
        answer = self._client.post("/api/auth/sign-in", json=given)
        self._csrf = {"X-CSRF-Token": answer.json()["csrf_token"]}

    def close(self) -> None:
        self._client.close()

    def post(self, path: str) -> dict[str, Any]:
        answer = self._client.post(path, headers=self._csrf)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def get(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = self._client.get(path).json()
        return found

    def keys_of_hosts(self) -> Mapping[str, str]:
        return {host["host"]: host["key"] for host in self.get("/api/api-key/hosts")["hosts"]}

    def event_count(self) -> int:
        issues = self.get(f"/api/projects/{self.project}/issues")["issues"]
        return sum(issue["event_count"] for issue in issues)


def deliver_with(owner: Owner, expected: Mapping[str, str]) -> bool:
    return owner.keys_of_hosts() == expected


def until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WITHIN_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.3)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_key_is_rotated_while_three_hosts_deliver(tmp_path: Path) -> None:
    with running("--no-pipelines") as service, closing(Owner(service)) as owner:
        hosts = [Host(name, tmp_path / name, service) for name in HOSTS]
        shippers: list[subprocess.Popen[bytes]] = []
        with hosts[0].writing(), hosts[1].writing(), hosts[2].writing():
            try:
                shippers += [host.ship(service.credentials["api_key"]) for host in hosts]
                until(lambda: owner.keys_of_hosts() == dict.fromkeys(HOSTS, "current"), "not all deliver")
                following = owner.post("/api/api-key/next")["api_key"]
                for number, host in enumerate(hosts):
                    shippers[number].terminate()
                    shippers[number].wait(30)
                    shippers[number] = host.ship(following)
                    expected = dict.fromkeys(HOSTS, "current") | dict.fromkeys(HOSTS[: number + 1], "next")
                    until(partial(deliver_with, owner, expected), str(expected))
                owner.post("/api/api-key/next/promote")
                until(lambda: owner.keys_of_hosts() == dict.fromkeys(HOSTS, "current"), "not promoted")
                time.sleep(2)
                for host in hosts:
                    host.stopping.set()
                until(lambda: owner.event_count() == sum(host.written for host in hosts), "not all arrived")
            finally:
                for shipper in shippers:
                    shipper.terminate()
                    shipper.wait(30)
        for host in hosts:
            assert "Authentication failed" not in host.told, host.told
        old = {"Authorization": f"Bearer {service.credentials['api_key']}"}
        assert httpx2.get(f"{service.credentials['base_url']}/api/projects", headers=old).status_code == 401
        kept = json.loads((service.directory / "credentials.json").read_text())
        assert kept["api_key"] == following
        told = [entry["action"] for entry in owner.get("/api/activity?kind=api_key")["activity"]]
        steps = ["api_key.promoted", "api_key.prepared", "api_key.created"]
        assert [action for action in told if action != "api_key.used"] == steps
