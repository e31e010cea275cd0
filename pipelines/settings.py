"""What an operator sets for the pipelines; read once, by the definitions and by the programs."""

from pathlib import Path

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class PipelinesSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ERRATA_PIPELINES_", frozen=True, populate_by_name=True)

    warehouse_url: SecretStr = Field(
        SecretStr("http://errata_build@127.0.0.1:8123"),
        validation_alias=AliasChoices("ERRATA_WAREHOUSE_BUILD_URL", "ERRATA_WAREHOUSE_URL"),
        description="The warehouse, as the user that builds marts.",
    )
    heartbeat_path: Path | None = Field(
        None, description="A file touched while the scheduler lives; /api/health reads its age."
    )
    statement_timeout_seconds: int = Field(
        3600, ge=60, description="How long one statement of a build may take."
    )
    keep_runs_days: int = Field(
        7, ge=1, description="Runs older than this are deleted from Dagster's storage."
    )
