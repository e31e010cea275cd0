"""A service over the shards of a cluster by the wheel alone, node by node."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx2

from errata.warehouse.configuration import CLUSTER
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess
from tests.shards import ShardedProcess
from tests.web_process import web

SECRET = "s" * 48
URLS = {
    "ERRATA_WAREHOUSE_URL": Role.INGEST,
    "ERRATA_WAREHOUSE_ADMIN_URL": Role.ADMIN,
    "ERRATA_WAREHOUSE_BUILD_URL": Role.BUILD,
    "ERRATA_WAREHOUSE_READ_URL": Role.READ,
    "ERRATA_WAREHOUSE_ANALYST_URL": Role.ANALYST,
}


@dataclass(frozen=True)
class Project:
    slug: str
    app_key: str


@dataclass(frozen=True)
class Cluster:
    """`directory` has what the nodes keep: the account store and the credentials. With a single warehouse, it
    is a service of nodes, and no cluster."""

    directory: Path
    shards: WarehouseProcess

    @property
    def members(self) -> list[WarehouseProcess]:
        """The processes of its shards."""
        assert isinstance(self.shards, ShardedProcess)
        return self.shards.members

    @property
    def settings(self) -> dict[str, str]:
        """Those of every node."""
        return {
            "ERRATA_STATE_URL": f"sqlite:///{self.directory}/state.db",
            "ERRATA_SECRET": SECRET,
            **({"ERRATA_WAREHOUSE_CLUSTER": CLUSTER} if isinstance(self.shards, ShardedProcess) else {}),
            **{name: self.shards.url(role) for name, role in URLS.items()},
        }

    @cached_property
    def credentials(self) -> Mapping[str, str]:
        known: dict[str, str] = json.loads((self.directory / "credentials.json").read_text())
        return known

    @property
    def first(self) -> Project:
        return Project(self.credentials["project"], self.credentials["app_key"])

    def migrate(self, *options: str) -> str:
        self.directory.mkdir(exist_ok=True)
        return self.run("-m", "errata", "migrate", "--first-account", str(self.directory), *options)

    def build(self) -> str:
        return self.run("-m", "pipelines.builder")

    def run(self, *program: str, succeeds: bool = True) -> str:
        """What the program says. Raises CalledProcessError, unless it need not succeed."""
        return subprocess.run(
            [sys.executable, *program],
            env={**os.environ, **self.settings},
            check=succeeds,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ).stdout

    def web(self, name: str = "web") -> AbstractContextManager[str]:
        return web({**self.settings, "ERRATA_API_SPOOL_PATH": str(self.directory / f"spool-{name}")})

    def ask(self, address: str, path: str, body: object = None) -> Any:
        """What REST answers, with the organization's API key."""
        method = "GET" if body is None else "POST"
        answer = httpx2.request(method, f"{address}/api/{path}", json=body, headers=self._key(), timeout=60)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def deliver(self, address: str, app_key: str, lines: Iterable[bytes]) -> int:
        """The status of a delivery."""
        headers = {**self._key(), "X-Errata-App-Key": app_key}
        answer = httpx2.post(f"{address}/api/ingest", content=b"\n".join(lines), headers=headers, timeout=60)
        return answer.status_code

    def new_project(self, address: str, name: str) -> Project:
        made = self.ask(address, "projects", {"name": name})
        return Project(made["slug"], made["app_key"])

    def _key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.credentials['api_key']}"}
