"""Resources of assets, resolved when a run begins: definitions load without a service."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
from pydantic import Field

from errata.warehouse.client import Warehouse
from errata.warehouse.disk import Bound, require, space_of
from pipelines.heartbeat import note_build
from pipelines.settings import DEFAULTS, PipelinesSettings

if TYPE_CHECKING:
    from errata.state.budgets import Budget


class WarehouseResource(dg.ConfigurableResource[Warehouse]):
    """ClickHouse HTTP URL, with a user who can write marts."""

    url: str = Field(description="ClickHouse HTTP URL, with a user who can write marts.")
    statement_timeout_seconds: int = DEFAULTS.statement_timeout_seconds
    disk_free_min_bytes: int = DEFAULTS.disk_free_min_bytes
    disk_free_min_percent: str = str(DEFAULTS.disk_free_min_percent)
    heartbeat_path: str = ""

    @property
    def client(self) -> Warehouse:
        """The client, which connects at its first statement; all runs of a process share it."""
        return _client(self.url, self.statement_timeout_seconds)

    @property
    def bound(self) -> Bound:
        return Bound(self.disk_free_min_bytes, float(self.disk_free_min_percent))

    @property
    def with_free_disk(self) -> Warehouse:
        """The client, for work that writes. Raises DiskFull where less is free than must stay free."""
        require(space_of(self.client), self.bound)
        return self.client

    def note_build(self) -> None:
        note_build(Path(self.heartbeat_path) if self.heartbeat_path else None)


class StateResource(dg.ConfigurableResource[None]):
    """The state store, where people keep budgets; read only."""

    url: str = Field(description="SQLAlchemy URL of the state store.")

    def budgets(self) -> "list[tuple[int, Budget]]":
        """All budgets, each with its project's id."""
        # Imported only where budgets are judged: SQLAlchemy takes half a second of CPU.
        from errata.state.every_budget import every_budget

        return every_budget(self.url)


@cache
def _client(url: str, timeout_seconds: int) -> Warehouse:
    return Warehouse(url, timeout_seconds=timeout_seconds)


def warehouse_resource() -> WarehouseResource:
    """The resource by the variables of PipelinesSettings, read when a run begins."""
    names = ("ERRATA_WAREHOUSE_BUILD_URL", "ERRATA_WAREHOUSE_URL")
    url = next((name for name in names if name in os.environ), names[0])
    numbers = ("statement_timeout_seconds", "disk_free_min_bytes")
    words = ("disk_free_min_percent", "heartbeat_path")
    given: dict[str, Any] = {
        **{name: dg.EnvVar.int(_variable(name)) for name in numbers if _variable(name) in os.environ},
        **{name: dg.EnvVar(_variable(name)) for name in words if _variable(name) in os.environ},
    }
    return WarehouseResource(url=dg.EnvVar(url), **given)


def _variable(name: str) -> str:
    return f"{PipelinesSettings.model_config['env_prefix']}{name}".upper()
