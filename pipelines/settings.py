"""An operator's settings of the pipelines; read once, by the definitions and by the programs."""

from pathlib import Path

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from errata.settings import WarehouseUrl
from errata.warehouse.disk import BUILDS_BOUND, Bound
from errata.warehouse.topology import Topology, at
from pipelines.people import People


class PipelinesSettings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="ERRATA_PIPELINES_", frozen=True, populate_by_name=True, hide_input_in_errors=True
    )

    warehouse_cluster: str = Field(
        "",
        validation_alias=AliasChoices("ERRATA_WAREHOUSE_CLUSTER"),
        description="Name of a [cluster](cluster.md) of ClickHouse servers, whose shards are built side by "
        "side; empty: one server or its replicas.",
    )
    # Definitions load without a warehouse too, so that `dagster dev` can show them.
    warehouse_url: WarehouseUrl = Field(
        SecretStr("http://errata_build@127.0.0.1:8123"),
        validation_alias=AliasChoices("ERRATA_WAREHOUSE_BUILD_URL", "ERRATA_WAREHOUSE_URL"),
        description="ClickHouse HTTP URL, with a user who can write marts.",
    )
    state_url: SecretStr = Field(
        SecretStr(""),
        validation_alias=AliasChoices("ERRATA_STATE_URL"),
        description="SQLAlchemy URL of the state store, for budgets and heartbeats; empty: neither.",
    )
    backup_dir: str = Field(
        "",
        validation_alias=AliasChoices("ERRATA_BACKUP_DIR"),
        description="Backup directory, or `s3://bucket/prefix`; a drill restores its last backup every week.",
    )
    backup_scratch: Path | None = Field(
        None,
        validation_alias=AliasChoices("ERRATA_BACKUP_SCRATCH"),
        description="Directory for restore drills, emptied afterwards; none: the data directory.",
    )
    data: Path | None = Field(
        None,
        validation_alias=AliasChoices("ERRATA_DATA"),
        description="Data directory of `errata up`, which sets it; none: no scheduled restore drills.",
    )
    alive_path: Path | None = Field(
        None,
        description="File that the process touches while it is alive, for a supervisor; none: no file.",
    )
    dagster_port: int = Field(
        0, ge=0, le=65535, description="Port of Dagster's web interface on 127.0.0.1; 0: off."
    )
    statement_timeout_seconds: int = Field(3600, ge=60, description="Time limit of a build query in seconds.")
    disk_free_min_bytes: int = Field(
        BUILDS_BOUND.min_bytes,
        ge=0,
        description="Builds wait while the warehouse disk has less free space.",
    )
    disk_free_min_percent: float = Field(
        BUILDS_BOUND.min_percent,
        ge=0,
        lt=100,
        description="Builds wait while less than this percentage of the warehouse disk is free; the larger "
        "of the two limits applies.",
    )
    keep_runs_days: int = Field(
        7,
        ge=1,
        description="Days to keep runs in Dagster's storage; successful scheduled runs are kept for 3 hours.",
    )

    def shard_urls(self) -> dict[int, str]:
        """The URL of each shard's servers, of those that answer; outside of a cluster, the one. Raises
        NotOfCluster."""
        url = self.warehouse_url.get_secret_value()
        if not self.warehouse_cluster:
            return {1: url}
        places = Topology(url, self.warehouse_cluster).places()
        return {number: at(url, of_shard) for number, of_shard in places.items()}

    @property
    def people(self) -> People:
        return People(self.state_url.get_secret_value())

    @property
    def disk_bound(self) -> Bound:
        return Bound(self.disk_free_min_bytes, self.disk_free_min_percent)


DEFAULTS = PipelinesSettings.model_construct()
