"""What Dagster is told of a table that Python makes: it has a migration, and no model."""

from typing import Any, TypedDict

import dagster as dg

from errata.warehouse import sql
from errata.warehouse.builds.made_by_python import PythonMart
from pipelines.marts import asset_key, schema_of

RETRY = dg.RetryPolicy(max_retries=1, delay=15)


class Facts(TypedDict):
    key: dg.AssetKey
    deps: list[dg.AssetKey]
    description: str
    metadata: dict[str, Any]
    group_name: str
    kinds: set[str]
    code_version: str


def facts(table: str, made: PythonMart) -> Facts:
    """For an asset or the spec of one."""
    (file,) = [file for file in sql.migrations() if file.name == table]
    return {
        "key": asset_key(table),
        "deps": [asset_key(name) for name in made.inputs],
        "description": file.header["purpose"],
        "metadata": {
            **{name: file.header[name] for name in ("grain", "key", "engine")},
            "made_by": made.maker,
            "dagster/column_schema": schema_of(file, table),
        },
        "code_version": made.version,
        "group_name": "marts",
        "kinds": {"clickhouse", "python"},
    }
