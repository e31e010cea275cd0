"""What Dagster is told of a table that Python makes: it has a migration, and no model."""

from collections.abc import Sequence
from typing import TypedDict

import dagster as dg

from errata.warehouse import sql
from pipelines.marts import asset_key

RETRY = dg.RetryPolicy(max_retries=1, delay=15)


class Facts(TypedDict):
    key: dg.AssetKey
    deps: list[dg.AssetKey]
    description: str
    metadata: dict[str, str]
    group_name: str
    kinds: set[str]


def facts(table: str, inputs: Sequence[str]) -> Facts:
    """For an asset or the spec of one."""
    (file,) = [file for file in sql.migrations() if file.name == table]
    return {
        "key": asset_key(table),
        "deps": [asset_key(name) for name in inputs],
        "description": file.header["purpose"],
        "metadata": {name: file.header[name] for name in ("grain", "key", "engine")},
        "group_name": "marts",
        "kinds": {"clickhouse", "python"},
    }
