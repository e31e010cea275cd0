"""Resources of assets. Definitions load without a service; a run or a tick that needs one says what is
missing."""

import os
import socket
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import dagster as dg
from pydantic import Field, PrivateAttr

from errata.warehouse.addresses import addresses_of
from errata.warehouse.client import Warehouse, WarehouseUnavailable
from errata.warehouse.disk import Bound
from errata.warehouse.presence import accepts_connections
from errata.warehouse.topology import Topology, at
from pipelines.builder.build_server import build_url
from pipelines.people import People
from pipelines.settings import DEFAULTS, PipelinesSettings

if TYPE_CHECKING:
    from errata.state.database import Database

WAREHOUSE, STATE = "ERRATA_WAREHOUSE_BUILD_URL", "ERRATA_STATE_URL"
CLUSTER = "ERRATA_WAREHOUSE_CLUSTER"
# The tag of build runs: the name of their job, of a shard of a cluster with that.
BUILDS = "errata/builds"
SHARD = "errata/shard"


class WarehouseResource(dg.ConfigurableResource[Warehouse]):
    """ClickHouse HTTP URL, with a user who can write marts. `cluster`: the name of a cluster, each shard of
    which is built by itself."""

    url: str = Field("", description="ClickHouse HTTP URL, with a user who can write marts.")
    cluster: str = ""
    _shard: int = PrivateAttr(default=0)
    statement_timeout_seconds: int = DEFAULTS.statement_timeout_seconds
    disk_free_min_bytes: int = DEFAULTS.disk_free_min_bytes
    disk_free_min_percent: str = str(DEFAULTS.disk_free_min_percent)

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """A run with the tag `errata/shard` is of that shard."""
        self._shard = int(context.run.tags.get(SHARD, 0)) if context.run else 0

    @property
    def client(self) -> Warehouse:
        """The client, which all runs of a process share. Raises Failure if no URL is set, or a cluster's
        without a shard, and WarehouseUnavailable if nothing listens there."""
        url = self._url()
        client = _client(url, self.statement_timeout_seconds)
        if not any(accepts_connections(address) for address in addresses_of(url)):
            raise WarehouseUnavailable(client.address, f"start `errata up`, or correct {WAREHOUSE}")
        return _client(build_url(client, url), self.statement_timeout_seconds)

    def _url(self) -> str:
        _require(WAREHOUSE, self.url, "warehouse")
        if not self.cluster:
            return self.url
        if not self._shard:
            raise dg.Failure(f"The run needs the tag {SHARD}", allow_retries=False)
        places = _topology(self.url, self.cluster).places().get(self._shard)
        if places is None:
            raise WarehouseUnavailable(f"shard {self._shard} of {self.cluster}", "no server responds")
        return at(self.url, places)

    def each(self) -> "Sequence[WarehouseResource]":
        """The warehouse of each shard; that of the run's shard alone, if it has one. Raises
        WarehouseUnavailable while no server of a cluster is known."""
        if self._shard or not self.cluster:
            return [self]
        found = list(map(self._of, _topology(self.url, self.cluster).places()))
        if not found:
            raise WarehouseUnavailable(f"the cluster {self.cluster}", "no server responds")
        return found

    def _of(self, shard: int) -> "WarehouseResource":
        narrowed = self.model_copy()
        narrowed._shard = shard
        return narrowed

    def builds(self, job: str) -> str:
        """The name under which runs of a job, of this shard, follow each other."""
        return f"{job} of shard {self._shard}" if self._shard else job

    def run_tags(self, job: str) -> dict[str, str]:
        """Of a run of a job, of this shard."""
        return {BUILDS: self.builds(job), SHARD: str(self._shard)} if self._shard else {}

    @property
    def bound(self) -> Bound:
        return Bound(self.disk_free_min_bytes, float(self.disk_free_min_percent))


class StateResource(dg.ConfigurableResource[None]):
    """The state store: budgets and holidays are read from it, and heartbeats written."""

    url: str = Field("", description="SQLAlchemy URL of the state store.")

    def people(self, *, is_needed: bool) -> People:
        """What people keep in it. Raises Failure if it `is_needed` and no URL is set."""
        if is_needed:
            _require(STATE, self.url, "state store")
        return People(self.url)

    def note_alive(self) -> None:
        """That runs are looked for on this host."""
        self._note(has_built=False)

    def note_build(self) -> None:
        self._note(has_built=True)

    def _note(self, *, has_built: bool) -> None:
        if not self.url:
            return
        from errata.state.heartbeats import note_heartbeat

        note_heartbeat(_database(self.url), socket.gethostname(), has_built=has_built)


@cache
def _topology(url: str, cluster: str) -> Topology:
    return Topology(url, cluster)


@cache
def _client(url: str, timeout_seconds: int) -> Warehouse:
    return Warehouse(url, timeout_seconds=timeout_seconds)


@cache
def _database(url: str) -> "Database":
    from errata.state.database import Database

    return Database(url)


def _require(variable: str, url: str, part: str) -> None:
    if not url:
        remedy = f"Set {variable} to the URL of the {part}, or start the pipelines with `errata up`"
        # A retry would find the same environment.
        raise dg.Failure(remedy, allow_retries=False)


def warehouse_resource() -> WarehouseResource:
    """The resource by the variables of PipelinesSettings."""
    variable = next((name for name in (WAREHOUSE, "ERRATA_WAREHOUSE_URL") if name in os.environ), WAREHOUSE)
    numbers = ("statement_timeout_seconds", "disk_free_min_bytes")
    words = ("disk_free_min_percent",)
    given: dict[str, Any] = {
        **{name: dg.EnvVar.int(_variable(name)) for name in numbers if _variable(name) in os.environ},
        **{name: dg.EnvVar(_variable(name)) for name in words if _variable(name) in os.environ},
    }
    return WarehouseResource(url=_set(variable), cluster=_set(CLUSTER), **given)


def state_resource() -> StateResource:
    return StateResource(url=_set(STATE))


def _set(variable: str) -> str:
    """The variable itself, so that Dagster's pages show its name instead of a password; empty if it is not
    set."""
    return dg.EnvVar(variable) if variable in os.environ else ""


def _variable(name: str) -> str:
    return f"{PipelinesSettings.model_config['env_prefix']}{name}".upper()
