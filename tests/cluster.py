"""A service over the shards of a cluster by the wheel alone, node by node."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx2

from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.configuration import CLUSTER
from errata.warehouse.roles import Role
from errata.warehouse.topology import at, whole
from tests.processes import WarehouseProcess
from tests.shards import ShardedProcess
from tests.web_process import WebNode, web_node

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
class Nodes:
    """Nodes of a service by the wheel alone. `directory` has what they keep: the first account's credentials,
    the spools, and perhaps the account store."""

    directory: Path

    @property
    def settings(self) -> dict[str, str]:
        """Those of every node."""
        raise NotImplementedError

    def places(self) -> Mapping[int, tuple[str, ...]]:
        """`host:port` of the servers of each shard. Raises NotOfCluster, ShardsMissing and
        WarehouseUnavailable."""
        return whole(self.settings["ERRATA_WAREHOUSE_ADMIN_URL"], self.settings["ERRATA_WAREHOUSE_CLUSTER"])

    def client(self, *places: str, variable: str = "ERRATA_WAREHOUSE_ADMIN_URL") -> Warehouse:
        """Of servers of one shard, with the user of this URL."""
        return Warehouse(at(self.settings[variable], places))

    def clients(self) -> dict[int, Warehouse]:
        """A client with all rights for each shard."""
        return {number: self.client(*places) for number, places in self.places().items()}

    @contextmanager
    def store(self) -> Iterator[Store]:
        secret = self.settings["ERRATA_SECRET"].encode()
        with closing(Store.open(self.settings["ERRATA_STATE_URL"], secret)) as store:
            yield store

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

    @contextmanager
    def web(self, name: str = "web") -> Iterator[str]:
        with self.node(name) as node:
            yield node.address

    def node(self, name: str = "web") -> AbstractContextManager[WebNode]:
        return web_node({**self.settings, "ERRATA_API_SPOOL_PATH": str(self.directory / f"spool-{name}")})

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


@dataclass(frozen=True)
class Cluster(Nodes):
    """Nodes over embedded shards. With a single warehouse, it is a service of nodes, and no cluster."""

    shards: WarehouseProcess

    @property
    def members(self) -> list[WarehouseProcess]:
        """The processes of its shards."""
        assert isinstance(self.shards, ShardedProcess)
        return self.shards.members

    @property
    def settings(self) -> dict[str, str]:
        return {
            "ERRATA_STATE_URL": f"sqlite:///{self.directory}/state.db",
            "ERRATA_SECRET": SECRET,
            **({"ERRATA_WAREHOUSE_CLUSTER": CLUSTER} if isinstance(self.shards, ShardedProcess) else {}),
            **{name: self.shards.url(role) for name, role in URLS.items()},
        }
